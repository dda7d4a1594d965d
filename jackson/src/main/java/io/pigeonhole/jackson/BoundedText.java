package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;

/**
 * A text that stands for a number, or for a time in which numbers stand, is no longer than Jackson lets a number be: the time to read
 * one grows with the square of its length.
 */
final class BoundedText {
    private BoundedText() {}

    /** Throws if the text is longer. */
    static void require(String text, JsonParser parser, Class<?> type) {
        int most = parser.streamReadConstraints().getMaxNumberLength();
        if (text.length() > most) {
            throw new RefusedValueException(parser, "the text has more than " + most + " characters", type);
        }
    }
}
