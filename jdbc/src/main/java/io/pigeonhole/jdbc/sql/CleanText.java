package io.pigeonhole.jdbc.sql;

import org.jspecify.annotations.Nullable;

/** Text that every text column takes: PostgreSQL refuses NUL, and halves of surrogate pairs have no bytes. */
public final class CleanText {
    private static final char REPLACEMENT = '\uFFFD';

    private CleanText() {}

    public static @Nullable String ofNullable(@Nullable String text) {
        return text == null ? null : of(text);
    }

    public static String of(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isBroken(text, i)) {
                return replaced(text);
            }
        }
        return text;
    }

    private static String replaced(String text) {
        StringBuilder clean = new StringBuilder(text);
        for (int i = 0; i < text.length(); i++) {
            if (isBroken(text, i)) {
                clean.setCharAt(i, REPLACEMENT);
            }
        }
        return clean.toString();
    }

    private static boolean isBroken(String text, int at) {
        char character = text.charAt(at);
        if (Character.isHighSurrogate(character)) {
            return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
        }
        if (Character.isLowSurrogate(character)) {
            return at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
        }
        return character == 0;
    }
}
