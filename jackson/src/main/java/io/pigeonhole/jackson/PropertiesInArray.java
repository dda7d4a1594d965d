package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** A type whose properties are the elements of an array: each element is one of them, and none is left out. */
final class PropertiesInArray extends DelegatingDeserializer {
    private final int properties;

    PropertiesInArray(BeanDeserializerBase delegate) {
        this(delegate, delegate.getPropertyCount());
    }

    private PropertiesInArray(ValueDeserializer<?> delegate, int properties) {
        super(delegate);
        this.properties = properties;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new PropertiesInArray(delegate, properties);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        TokenStreamContext array = parser.streamReadContext();
        return requireAll(super.deserialize(parser, context), array, parser);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context, Object into) {
        TokenStreamContext array = parser.streamReadContext();
        return requireAll(super.deserialize(parser, context, into), array, parser);
    }

    private @Nullable Object requireAll(@Nullable Object read, TokenStreamContext array, JsonParser parser) {
        if (array.inArray() && array.getEntryCount() > properties) {
            throw new RefusedValueException(
                    parser,
                    "of " + array.getEntryCount() + " elements the type would hold " + properties
                            + ", one for each of its properties",
                    handledType());
        }
        return read;
    }
}
