package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;

/** A date or time that is an array of numbers: of some types Jackson cuts off their fractions, and makes null of an empty array. */
final class TimeArray {
    private TimeArray() {}

    /**
     * Refuses an array that is empty, or that has a number with a fraction or an exponent.
     *
     * @return what to read the value from: the same parser, if it is no array
     */
    static JsonParser requireWhole(JsonParser parser, DeserializationContext context, Class<?> type) {
        if (!parser.hasToken(JsonToken.START_ARRAY)) {
            return parser;
        }
        var array = context.bufferAsCopyOfValue(parser);
        try (JsonParser elements = array.asParserOnFirstToken(context, parser)) {
            JsonToken element = elements.nextToken();
            if (element == JsonToken.END_ARRAY) {
                throw new RefusedValueException(parser, "an empty array is no date and no time", type);
            }
            for (; element != null; element = elements.nextToken()) {
                if (element == JsonToken.VALUE_NUMBER_FLOAT) {
                    throw new RefusedValueException(
                            parser, "the numbers of a date or time in an array have no fraction and no exponent", type);
                }
            }
        }
        return array.asParserOnFirstToken(context, parser);
    }
}
