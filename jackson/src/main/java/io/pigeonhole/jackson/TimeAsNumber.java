package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A time or duration of which the type names the unit that a number counts, other than seconds. To Jackson that holds for whole numbers
 * only: one with a fraction or an exponent would be seconds.
 */
final class TimeAsNumber extends DelegatingDeserializer {
    TimeAsNumber(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new TimeAsNumber(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT)) {
            throw new RefusedValueException(
                    parser,
                    "the unit of the type is counted in whole numbers, without a fraction or an exponent",
                    handledType());
        }
        return super.deserialize(parser, context);
    }
}
