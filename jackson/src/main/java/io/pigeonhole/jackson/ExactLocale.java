package io.pigeonhole.jackson;

import java.util.IllformedLocaleException;
import java.util.Locale;
import tools.jackson.core.JsonParser;

/** The JDK reads a locale only as far as it understands the text, and leaves out what comes then. */
final class ExactLocale {
    private ExactLocale() {}

    /** Refuses a text of which the locale does not hold all. */
    static void require(Locale read, String text, JsonParser parser) {
        if (!isSame(read, text)) {
            throw new RefusedValueException(
                    parser, "a language tag is expected, such as de-CH, or a Locale as Java writes it", Locale.class);
        }
    }

    /** Whether the locale holds all of the text. */
    static boolean isSame(Locale read, String text) {
        return read.toString().equalsIgnoreCase(text) || isTag(read, text);
    }

    /** A tag may name a language by an older code: the locale is the same, and its text another one. */
    private static boolean isTag(Locale read, String text) {
        try {
            return new Locale.Builder().setLanguageTag(text).build().equals(read);
        } catch (IllformedLocaleException e) {
            return false;
        }
    }
}
