package io.pigeonhole.jackson;

import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of a zone in a text that is read by a pattern with {@code z}, such as {@code EST}. {@code java.time} takes it for a region, and
 * forgets which of the region's offsets the name is of.
 */
final class ZoneName {
    private static final Pattern QUOTED = Pattern.compile("'[^']*'");
    private static final Pattern LETTERS = Pattern.compile("z+");

    /** Null if the pattern has no such name. */
    private final @Nullable DateTimeFormatter name;

    private ZoneName(@Nullable DateTimeFormatter name) {
        this.name = name;
    }

    static ZoneName of(String pattern, Locale locale) {
        Matcher letters = LETTERS.matcher(QUOTED.matcher(pattern).replaceAll(""));
        return new ZoneName(letters.find() ? DateTimeFormatter.ofPattern(letters.group(), locale) : null);
    }

    /** Whether a text has the name that its zone has at the time it was read as. An id, or a zone with one offset only, says all. */
    boolean isIn(String text, ZonedDateTime read) {
        ZoneId zone = read.getZone();
        return name == null
                || zone.getRules().isFixedOffset()
                || isWord(zone.getId(), text)
                || isWord(name.format(read), text);
    }

    private static boolean isWord(String word, String text) {
        return Pattern.compile(
                        "(?<!\\p{L})" + Pattern.quote(word) + "(?!\\p{L})",
                        Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE)
                .matcher(text)
                .find();
    }
}
