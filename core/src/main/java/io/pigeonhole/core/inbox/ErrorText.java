package io.pigeonhole.core.inbox;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/**
 * Makes texts of exceptions fit to be stored: bounded, without NUL and without halves of surrogate pairs, which databases
 * refuse. Otherwise the recording of a failure could fail for the same bytes as the message did.
 */
final class ErrorText {
    private static final int LONGEST_MESSAGE = 2_000;
    private static final int LONGEST_STACK = 16_000;
    private static final char REPLACEMENT = '\uFFFD';

    private ErrorText() {}

    static String bounded(@Nullable String text) {
        return text == null ? "" : clean(text, LONGEST_MESSAGE);
    }

    static String stackOf(Throwable failure) {
        StringWriter stack = new StringWriter();
        failure.printStackTrace(new PrintWriter(stack));
        return clean(stack.toString(), LONGEST_STACK);
    }

    private static String clean(String text, int longest) {
        StringBuilder clean = new StringBuilder(text.length() <= longest ? text : text.substring(0, longest));
        for (int i = 0; i < clean.length(); i++) {
            char c = clean.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < clean.length()
                    && Character.isLowSurrogate(clean.charAt(i + 1));
            if (pair) {
                i++;
            } else if (c == '\0' || Character.isSurrogate(c)) {
                clean.setCharAt(i, REPLACEMENT);
            }
        }
        return clean.toString();
    }
}
