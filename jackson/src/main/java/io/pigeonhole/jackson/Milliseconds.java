package io.pigeonhole.jackson;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The milliseconds in a text that is read by a pattern of {@link java.text.SimpleDateFormat}. They are a number there and no
 * fraction, so that {@code .5} would be 5 milliseconds.
 */
final class Milliseconds {
    private static final int DIGITS = 3;
    private static final Pattern PART = Pattern.compile("'(?:[^']|'')*'|([A-Za-z])\\1*|.", Pattern.DOTALL);

    private final Pattern text;

    private Milliseconds(Pattern text) {
        this.text = text;
    }

    /** Null where the pattern has none. */
    static @Nullable Milliseconds of(String pattern) {
        StringBuilder text = new StringBuilder();
        boolean some = false;
        Matcher part = PART.matcher(pattern);
        while (part.find()) {
            some |= "S".equals(part.group(1));
            text.append(part(part, pattern));
        }
        return some
                ? new Milliseconds(Pattern.compile(text.toString(), Pattern.CASE_INSENSITIVE | Pattern.DOTALL))
                : null;
    }

    private static String part(Matcher part, String pattern) {
        String letter = part.group(1);
        if (letter == null) {
            return Pattern.quote(literal(part.group()));
        }
        boolean abuts = part.end() < pattern.length() && Character.isLetter(pattern.charAt(part.end()));
        if ("S".equals(letter)) {
            return "\\s*(?<ms>\\d+)";
        }
        // Of numbers without anything between them each has as many digits as its letters.
        return abuts ? "(?:\\d{" + part.group().length() + "}|\\D+)" : ".+?";
    }

    private static String literal(String quoted) {
        if (!quoted.startsWith("'")) {
            return quoted;
        }
        return quoted.length() == 2
                ? "'"
                : quoted.substring(1, quoted.length() - 1).replace("''", "'");
    }

    /** Whether a text that the pattern reads has three digits of them, which mean the same as a number and as a fraction. */
    boolean areExact(String read) {
        Matcher matcher = text.matcher(read);
        return matcher.matches() && matcher.group("ms").length() == DIGITS;
    }
}
