package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Blanks before and behind a text, which Jackson cuts off where the type is not a text itself. */
final class Blanks {
    private Blanks() {}

    /** Refuses the current token if it is a text that begins or ends with blanks. */
    static void requireNone(JsonParser parser, Class<?> type) {
        if (!parser.hasToken(JsonToken.VALUE_STRING)) {
            return;
        }
        String text = parser.getString();
        if (text.length() != text.trim().length()) {
            throw new RefusedValueException(parser, "the text begins or ends with blanks", type);
        }
    }
}
