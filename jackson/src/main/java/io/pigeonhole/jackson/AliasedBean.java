package io.pigeonhole.jackson;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.introspect.BeanPropertyDefinition;

/** A type of which a property has more than one name: an object with two of them would lose a value. */
final class AliasedBean extends DelegatingDeserializer {
    /** Those that have more than one name, by each of their names. */
    private final Map<String, String> properties;

    private AliasedBean(ValueDeserializer<?> delegate, Map<String, String> properties) {
        super(delegate);
        this.properties = properties;
    }

    /** The deserializer itself where each property of its type has one name only. */
    static ValueDeserializer<?> of(ValueDeserializer<?> deserializer, BeanDescription bean) {
        Map<String, String> properties = properties(bean);
        return properties.isEmpty() ? deserializer : new AliasedBean(deserializer, properties);
    }

    private static Map<String, String> properties(BeanDescription bean) {
        Map<String, String> properties = new HashMap<>();
        for (BeanPropertyDefinition property : bean.findProperties()) {
            if (!property.findAliases().isEmpty()) {
                properties.put(property.getName(), property.getName());
                for (PropertyName alias : property.findAliases()) {
                    properties.put(alias.getSimpleName(), property.getName());
                }
            }
        }
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
