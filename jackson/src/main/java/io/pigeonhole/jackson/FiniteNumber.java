package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.jsontype.TypeDeserializer;

/** A {@code double} or {@code float} is the nearest to the number that was sent: never infinite, and zero for zero only. */
final class FiniteNumber extends DelegatingDeserializer {
    FiniteNumber(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new FiniteNumber(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        // "NaN" and its like are not bound by what the mapper says of texts.
        if (parser.hasToken(JsonToken.VALUE_STRING)) {
            throw new RefusedValueException(parser, "a number is expected", handledType());
        }
        Object read = super.deserialize(parser, context);
        requireNear(((Number) read).doubleValue(), parser, handledType());
        return read;
    }

    @Override
    public Object deserializeWithType(
            JsonParser parser, DeserializationContext context, TypeDeserializer typeDeserializer) {
        return deserialize(parser, context);
    }

    /** The value that was read of the current number is neither infinite, nor zero for another number. */
    static void requireNear(double value, JsonParser parser, Class<?> type) {
        if (Double.isInfinite(value)) {
            throw new RefusedValueException(parser, "the number is too large for " + type.getSimpleName(), type);
        }
        if (value == 0 && !isZero(parser.getString())) {
            throw new RefusedValueException(
                    parser, "the number is too small for " + type.getSimpleName() + " and would become zero", type);
        }
    }

    /** Whether there is no digit but zeros before the exponent. */
    private static boolean isZero(String number) {
        return number.chars().takeWhile(c -> c != 'e' && c != 'E').noneMatch(c -> c >= '1' && c <= '9');
    }
}
