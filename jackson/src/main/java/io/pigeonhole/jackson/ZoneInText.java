package io.pigeonhole.jackson;

import java.text.ParsePosition;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The zone of a text that is read by a pattern. Zones share the names that {@code z} and {@code v} read, such as {@code EST}, and a name
 * may hold in a part of the year only: {@code java.time} takes one of the zones. Of two zones in a text it takes the last one.
 */
final class ZoneInText {
    private static final Pattern PARTS = Pattern.compile("'[^']*'|p*(?:V+|z+|v+)");
    private static final Pattern NAMES = Pattern.compile("p*(?:z+|v+)");
    /** An id without a slash, such as {@code CET}, is a name as well. */
    private static final Pattern ID = Pattern.compile("(UTC|GMT|UT)([+-].*)?|.*/.*");

    private final boolean readsNames;

    /** The pattern with one of its zones, read from an id or an offset, and without the others. */
    private final List<DateTimeFormatter> withOneId;

    private ZoneInText(boolean readsNames, List<DateTimeFormatter> withOneId) {
        this.readsNames = readsNames;
        this.withOneId = withOneId;
    }

    static ZoneInText of(String pattern, Function<String, DateTimeFormatter> formatter) {
        List<MatchResult> zones =
                PARTS.matcher(pattern).results().filter(ZoneInText::isZone).toList();
        return new ZoneInText(
                zones.stream().anyMatch(zone -> NAMES.matcher(zone.group()).matches()),
                zones.stream()
                        .map(zone -> formatter.apply(withOnly(zone, pattern)))
                        .toList());
    }

    private static String withOnly(MatchResult zone, String pattern) {
        return PARTS.matcher(pattern).replaceAll(part -> {
            if (!isZone(part)) {
                return Matcher.quoteReplacement(part.group());
            }
            // Blanks before it stay allowed.
            return part.start() == zone.start() ? part.group().replaceAll("[Vzv]+$", "VV") : "[]";
        });
    }

    private static boolean isZone(MatchResult part) {
        return !part.group().startsWith("'");
    }

    /** Whether a text says the zone that it was read as by one id or offset, and no other zone. */
    boolean isSaidBy(String text, ZoneId read) {
        return withOneId.stream().anyMatch(pattern -> isRead(text, read, pattern))
                && (!readsNames
                        || read instanceof ZoneOffset
                        || ID.matcher(read.getId()).matches());
    }

    private static boolean isRead(String text, ZoneId zone, DateTimeFormatter pattern) {
        ParsePosition end = new ParsePosition(0);
        TemporalAccessor read = pattern.parseUnresolved(text, end);
        return read != null && end.getIndex() == text.length() && isSame(zone, read.query(TemporalQueries.zoneId()));
    }

    /** Where something stands behind it, {@code java.time} looks for UTC among the names, and takes it for Etc/UTC. */
    private static boolean isSame(ZoneId zone, @Nullable ZoneId said) {
        return zone.equals(said)
                || (said != null && said.getId().equals("UTC") && zone.getId().equals("Etc/UTC"));
    }
}
