package io.pigeonhole.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Repeats the marked parts of a {@link PlainStatement}, as many times as there are rows or values. */
final class Repeat {
    private static final Pattern MARKED = Pattern.compile("\\{\\{(.*?)}}|\\{(.*?)}", Pattern.DOTALL);

    private Repeat() {}

    /** The text with its marked parts repeated, the first so many times as the first count says, and so on. */
    static String expand(String text, int... counts) {
        Matcher matcher = MARKED.matcher(text);
        StringBuilder expanded = new StringBuilder(text.length() * 2);
        int part = 0;
        int end = 0;
        while (matcher.find()) {
            expanded.append(text, end, matcher.start());
            boolean query = matcher.group(1) != null;
            String repeated = query ? matcher.group(1) : matcher.group(2);
            for (int i = 0; i < counts[part]; i++) {
                expanded.append(i == 0 ? "" : query ? "\nUNION ALL\n" : ", ").append(repeated);
            }
            part++;
            end = matcher.end();
        }
        if (part != counts.length) {
            throw new IllegalArgumentException(
                    "the statement has " + part + " parts to repeat, not " + counts.length + ": " + text);
        }
        return expanded.append(text, end, text.length()).toString();
    }
}
