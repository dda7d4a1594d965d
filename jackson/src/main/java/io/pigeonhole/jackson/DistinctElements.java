package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.Nulls;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.jdk.EnumSetDeserializer;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.type.CollectionType;

/** A set holds all elements that were sent: of equal ones, all but one would be lost. */
final class DistinctElements extends DelegatingDeserializer {
    private final CollectionType type;

    /** What reads the elements of an {@link EnumSet}, of which its own deserializer reports nothing. */
    private final @Nullable ValueDeserializer<Object> enums;

    DistinctElements(ValueDeserializer<?> delegate, CollectionType type) {
        this(delegate, type, null);
    }

    private DistinctElements(
            ValueDeserializer<?> delegate, CollectionType type, @Nullable ValueDeserializer<Object> enums) {
        super(delegate);
        this.type = type;
        this.enums = enums;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new DistinctElements(delegate, type, enums);
    }

    /** Where the type or the property says how elements become those of the set, that is its decision. */
    @Override
    public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        ValueDeserializer<?> set = context.handleSecondaryContextualization(
                getDelegatee(), property, context.constructType(handledType()));
        if (readsNullsAsItLikes(property) || isOfReferences(set, context) || hasCreator(set)) {
            return set;
        }
        return set instanceof EnumSetDeserializer
                ? new DistinctElements(
                        set, type, context.findContextualValueDeserializer(listOfElements(context), property))
                : _newIfChanged(set);
    }

    private JavaType listOfElements(DeserializationContext context) {
        return context.getTypeFactory().constructCollectionType(ArrayList.class, type.getContentType());
    }

    /** An empty value in the place of a null may be there already. */
    private static boolean readsNullsAsItLikes(@Nullable BeanProperty property) {
        if (property == null) {
            return false;
        }
        Nulls nulls = property.getMetadata().getContentNulls();
        return nulls == Nulls.SKIP || nulls == Nulls.AS_EMPTY;
    }

    /** Elements may be read after those that refer to them: the set has them at the end of the document. */
    private static boolean isOfReferences(ValueDeserializer<?> set, DeserializationContext context) {
        return set instanceof ContainerDeserializerBase<?> container
                && container.getContentDeserializer() != null
                && container.getContentDeserializer().getObjectIdReader(context) != null;
    }

    /** It is given all elements. Where it takes a set, that is counted. */
    private static boolean hasCreator(ValueDeserializer<?> set) {
        return set instanceof ContainerDeserializerBase<?> container
                && container.getValueInstantiator() != null
                && (container.getValueInstantiator().canCreateUsingDelegate()
                        || container.getValueInstantiator().canCreateUsingArrayDelegate());
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        if (!parser.hasToken(JsonToken.START_ARRAY)) {
            return super.deserialize(parser, context);
        }
        Collection<@Nullable Object> set = newSet(context);
        if (set != null) {
            return read(parser, context, set);
        }
        TokenStreamContext array = parser.streamReadContext();
        Object read = super.deserialize(parser, context);
        if (read instanceof Collection<?> made && made.size() < array.getEntryCount()) {
            throw losesSome(parser, array, made);
        }
        return read;
    }

    /** Where the set has elements before, others may be among them: only what is read into an empty one can be counted. */
    @Override
    @SuppressWarnings("unchecked") // Jackson puts the elements of the type into it.
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context, Object into) {
        return parser.hasToken(JsonToken.START_ARRAY) && into instanceof Collection<?> set && set.isEmpty()
                ? read(parser, context, (Collection<@Nullable Object>) set)
                : super.deserialize(parser, context, into);
    }

    private Object read(JsonParser parser, DeserializationContext context, Collection<@Nullable Object> set) {
        TokenStreamContext array = parser.streamReadContext();
        SetElements elements = SetElements.begin(set, context);
        try {
            if (enums == null) {
                super.deserialize(parser, context, elements);
            } else {
                enums.deserialize(parser, context, elements);
            }
        } finally {
            elements.end(context);
        }
        if (elements.losesSome()) {
            throw losesSome(parser, array, set);
        }
        return set;
    }

    /** Null where the deserializer makes it in a way of its own. */
    @SuppressWarnings("unchecked") // It is a set of the type.
    private @Nullable Collection<@Nullable Object> newSet(DeserializationContext context) {
        if (enums != null) {
            return EnumSet.noneOf((Class<Enum>) type.getContentType().getRawClass());
        }
        return getDelegatee() instanceof ContainerDeserializerBase<?> container
                        && container.getValueInstantiator() != null
                        && container.getValueInstantiator().canCreateUsingDefault()
                ? (Collection<@Nullable Object>)
                        container.getValueInstantiator().createUsingDefault(context)
                : null;
    }

    private RefusedValueException losesSome(JsonParser parser, TokenStreamContext array, Collection<?> set) {
        return new RefusedValueException(
                parser,
                "of " + array.getEntryCount() + " elements the set would hold " + set.size()
                        + ", because it holds each once",
                handledType());
    }
}
