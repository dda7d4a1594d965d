package io.pigeonhole.jackson;

import java.text.ParsePosition;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import tools.jackson.core.JsonParser;

/** What {@code java.time} itself, or Jackson, changes when it reads a text. */
final class SameTime {
    private SameTime() {}

    /**
     * Refuses what is not the time that the text says.
     *
     * @param read what was read of the text, of whatever type
     */
    static void require(Object read, String text, JsonParser parser) {
        if (read instanceof Instant && text.contains(":60")) {
            throw new RefusedValueException(
                    parser, "an Instant has no leap second (:60), and would be the second before", Instant.class);
        }
        if (read instanceof LocalTime && text.indexOf('T') >= 0) {
            throw new RefusedValueException(parser, "a LocalTime has no date, which would be dropped", LocalTime.class);
        }
        if (read instanceof ZonedDateTime zoned && text.indexOf('[') >= 0 && !isLocalTime(zoned, text)) {
            throw new RefusedValueException(
                    parser, "the offset is not one that the zone has at this local time", ZonedDateTime.class);
        }
    }

    /** An offset that is not the zone's changes the local time. */
    private static boolean isLocalTime(ZonedDateTime zoned, String text) {
        return LocalDateTime.from(DateTimeFormatter.ISO_LOCAL_DATE_TIME.parse(text.strip(), new ParsePosition(0)))
                .equals(zoned.toLocalDateTime());
    }
}
