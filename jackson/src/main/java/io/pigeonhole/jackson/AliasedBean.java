package io.pigeonhole.jackson;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A type of which a property has more than one name, by aliases or because names may be in any case: an object with two of them would
 * lose a value.
 */
final class AliasedBean extends DelegatingDeserializer {
    /** Those that have more than one name, by each of their names. */
    private final Map<String, String> properties;

    private AliasedBean(ValueDeserializer<?> delegate, Map<String, String> properties) {
        super(delegate);
        this.properties = properties;
    }

    /** The deserializer itself where each property of its type has one name only. */
    static ValueDeserializer<?> of(BeanDeserializerBase deserializer, DeserializationConfig config) {
        Map<String, String> properties = properties(deserializer, config);
        return properties.isEmpty() ? deserializer : new AliasedBean(deserializer, properties);
    }

    /** A name comes before an alias. Of properties with the same alias the last one is taken to get it, as in records. */
    private static Map<String, String> properties(BeanDeserializerBase deserializer, DeserializationConfig config) {
        boolean inAnyCase = deserializer.isCaseInsensitive();
        Map<String, String> properties = inAnyCase ? new TreeMap<>(String.CASE_INSENSITIVE_ORDER) : new HashMap<>();
        deserializer
                .properties()
                .forEachRemaining(property -> property.findAliases(config)
                        .forEach(alias -> properties.put(alias.getSimpleName(), property.getName())));
        deserializer.properties().forEachRemaining(property -> {
            if (property.findAliases(config).isEmpty() && !inAnyCase) {
                properties.remove(property.getName());
            } else {
                properties.put(property.getName(), property.getName());
            }
        });
        return properties;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new AliasedBean(delegate, properties);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        PropertyNames names = PropertyNames.of(parser);
        names.enter(properties, handledType());
        try {
            return super.deserialize(names, context);
        } finally {
            names.leave();
        }
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context, Object into) {
        PropertyNames names = PropertyNames.of(parser);
        names.enter(properties, handledType());
        try {
            return super.deserialize(names, context, into);
        } finally {
            names.leave();
        }
    }
}
