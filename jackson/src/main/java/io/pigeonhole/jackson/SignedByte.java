package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** A {@code byte} is from -128 to 127: Jackson takes numbers up to 255, and makes them negative. */
final class SignedByte extends DelegatingDeserializer {
    SignedByte(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new SignedByte(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (parser.hasToken(JsonToken.VALUE_NUMBER_INT) && parser.getIntValue() > Byte.MAX_VALUE) {
            throw new RefusedValueException(parser, "the number is above 127, the greatest byte", handledType());
        }
        return super.deserialize(parser, context);
    }
}
