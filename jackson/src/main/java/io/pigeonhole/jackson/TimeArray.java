package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;

/**
 * A date or time that is an array of numbers: of some types Jackson cuts off their fractions, and makes null of an array that is none.
 *
 * @param inMilliseconds whether the last number of a time counts milliseconds; Jackson takes those from 1,000 on for nanoseconds
 */
record TimeArray(boolean inMilliseconds) {
    private static final int MOST_MILLISECONDS = 999;

    static TimeArray of(JsonFormat.Value format) {
        return new TimeArray(
                Boolean.FALSE.equals(format.getFeature(JsonFormat.Feature.READ_DATE_TIMESTAMPS_AS_NANOSECONDS)));
    }

    /** Reads a value with its deserializer, and refuses an array of which that would change or drop something. */
    Object read(ValueDeserializer<?> delegate, JsonParser parser, DeserializationContext context) {
        if (!parser.hasToken(JsonToken.START_ARRAY)) {
            return delegate.deserialize(parser, context);
        }
        Class<?> type = delegate.handledType();
        var array = context.bufferAsCopyOfValue(parser);
        try (JsonParser elements = array.asParserOnFirstToken(context, parser)) {
            for (JsonToken each = elements.nextToken(); each != null; each = elements.nextToken()) {
                requireUnchanged(elements, parser, type);
            }
        }
        Object read = delegate.deserialize(array.asParserOnFirstToken(context, parser), context);
        if (read == null) {
            throw new RefusedValueException(parser, "the array is no date and no time", type);
        }
        return read;
    }

    private void requireUnchanged(JsonParser elements, JsonParser parser, Class<?> type) {
        if (elements.hasToken(JsonToken.VALUE_NUMBER_FLOAT)) {
            throw new RefusedValueException(
                    parser, "the numbers of a date or time in an array have no fraction and no exponent", type);
        }
        // The first one may be a year.
        if (inMilliseconds
                && elements.hasToken(JsonToken.VALUE_NUMBER_INT)
                && elements.streamReadContext().getCurrentIndex() > 0
                && elements.getValueAsLong() > MOST_MILLISECONDS) {
            throw new RefusedValueException(parser, "a second has 999 milliseconds at most", type);
        }
    }
}
