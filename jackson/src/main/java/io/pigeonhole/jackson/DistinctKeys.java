package io.pigeonhole.jackson;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A map of keys that can be written in more than one way: it remembers those that it has while it is read. A sorted map takes keys for
 * one by an order that may be its own: its entries are counted.
 */
final class DistinctKeys extends DelegatingDeserializer {
    /** Of these, {@link StrictKey} accepts one text only, or the parser already refuses a name that stands twice. */
    private static final Set<Class<?>> WRITTEN_IN_ONE_WAY = Set.of(
            String.class,
            Object.class,
            CharSequence.class,
            java.io.Serializable.class,
            Integer.class,
            Long.class,
            Short.class,
            Byte.class,
            BigInteger.class,
            Boolean.class,
            Character.class);

    private static final String LOST = "two names of one map would become the same key, and one entry lost";

    DistinctKeys(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    static boolean areNeededFor(Class<?> keyType) {
        return !WRITTEN_IN_ONE_WAY.contains(keyType);
    }

    /** Refuses a key that the map which is being read has already. */
    static void require(Object key, Class<?> type, DeserializationContext context) {
        if (context.getAttribute(Scope.class) instanceof Scope scope && scope.isCurrent() && !scope.keys.add(key)) {
            throw new RefusedValueException(context.getParser(), LOST, type);
        }
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new DistinctKeys(delegate);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        Object outer = enter(parser, context);
        // Behind the id of a type, that is counted as well.
        TokenStreamContext object = parser.hasToken(JsonToken.START_OBJECT) ? parser.streamReadContext() : null;
        try {
            Object read = super.deserialize(parser, context);
            if (object != null
                    && read instanceof SortedMap<?, ?> map
                    && map.comparator() != null
                    && map.size() < object.getEntryCount()) {
                throw new RefusedValueException(parser, LOST, handledType());
            }
            return read;
        } finally {
            context.setAttribute(Scope.class, outer);
        }
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context, Object into) {
        Object outer = enter(parser, context);
        try {
            return super.deserialize(parser, context, into);
        } finally {
            context.setAttribute(Scope.class, outer);
        }
    }

    private @Nullable Object enter(JsonParser parser, DeserializationContext context) {
        Object outer = context.getAttribute(Scope.class);
        // A sorted map takes keys for one that compare as equal.
        Set<Object> keys = SortedMap.class.isAssignableFrom(handledType()) ? new TreeSet<>() : new HashSet<>();
        context.setAttribute(Scope.class, new Scope(parser, parser.streamReadContext(), keys));
        return outer;
    }

    /** The object that is read as a map, and its keys so far. */
    private record Scope(JsonParser parser, TokenStreamContext object, Set<Object> keys) {
        /** Whether the parser is not in an object inside. */
        boolean isCurrent() {
            return parser.streamReadContext() == object;
        }
    }
}
