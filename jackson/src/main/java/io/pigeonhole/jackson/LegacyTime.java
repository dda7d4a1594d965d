package io.pigeonhole.jackson;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Map;
import java.util.function.Function;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeFactory;
import tools.jackson.core.JsonParser;

/**
 * Dates and times of types that are older than {@code java.time}, read from ISO 8601. What such a type cannot hold is refused:
 * Jackson cuts it off, or reads only how the text begins.
 */
final class LegacyTime {
    /** By name, as a program may run without the modules of some. */
    private static final Map<String, Function<String, Object>> READERS = Map.of(
            "java.util.Date", text -> Date.from(milliseconds(time(text).toInstant())),
            "java.util.Calendar", LegacyTime::calendar,
            "java.util.GregorianCalendar", LegacyTime::calendar,
            "java.sql.Date", LegacyTime::sqlDate,
            "java.sql.Time", LegacyTime::sqlTime,
            "java.sql.Timestamp", LegacyTime::timestamp,
            "javax.xml.datatype.XMLGregorianCalendar", LegacyTime::xml);

    private LegacyTime() {}

    static boolean is(Class<?> type) {
        return READERS.containsKey(type.getName());
    }

    /**
     * Reads a text as a type for which {@link #is} holds.
     *
     * @throws RefusedValueException if the type cannot hold all that the text says
     */
    static Object read(Class<?> type, String text, JsonParser parser) {
        BoundedText.require(text, parser, type);
        Function<String, Object> reader = READERS.get(type.getName());
        if (reader == null) {
            throw new IllegalStateException(type.getName());
        }
        try {
            return reader.apply(text);
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new RefusedValueException(parser, expected(type.getName()), type);
        }
    }

    private static String expected(String type) {
        return switch (type) {
            case "java.sql.Date" ->
                "a java.sql.Date is read from a date alone, such as 1999-12-31, of the years 1 to 9999 and without"
                        + " the days that the change of the calendar left out; java.time holds all";
            case "java.sql.Time" ->
                "a java.sql.Time is read from a time without fractions, such as 23:59:59; java.time holds them";
            default ->
                "a " + type
                        + " is read from ISO 8601 with an offset, such as 1999-12-31T23:59:59.999Z, and from no more"
                        + " digits or years than it holds; java.time holds 9 digits";
        };
    }

    private static OffsetDateTime time(String text) {
        return OffsetDateTime.parse(text);
    }

    private static Instant milliseconds(Instant instant) {
        if (!instant.equals(instant.truncatedTo(ChronoUnit.MILLIS))) {
            throw new DateTimeException("more exact than a millisecond");
        }
        return instant;
    }

    private static Calendar calendar(String text) {
        OffsetDateTime time = time(text);
        milliseconds(time.toInstant());
        GregorianCalendar calendar = GregorianCalendar.from(time.toZonedDateTime());
        if (calendar.getTimeZone().getRawOffset() != time.getOffset().getTotalSeconds() * 1000) {
            throw new DateTimeException("an offset with seconds");
        }
        return calendar;
    }

    /** It counts its days in the Julian calendar before 1582-10-15, has no year 0, and skips the days in between. */
    private static Object sqlDate(String text) {
        LocalDate date = LocalDate.parse(text);
        java.sql.Date read = java.sql.Date.valueOf(date);
        if (!read.toString().equals(date.toString())) {
            throw new DateTimeException("a day that a java.sql.Date does not have");
        }
        return read;
    }

    private static Object sqlTime(String text) {
        LocalTime time = LocalTime.parse(text);
        java.sql.Time read = java.sql.Time.valueOf(time);
        if (!read.toLocalTime().equals(time)) {
            throw new DateTimeException("more exact than a second");
        }
        return read;
    }

    /** Far from now its milliseconds overflow. */
    private static Object timestamp(String text) {
        Instant instant = time(text).toInstant();
        java.sql.Timestamp read = java.sql.Timestamp.from(instant);
        if (!read.toInstant().equals(instant)) {
            throw new DateTimeException("a moment that a java.sql.Timestamp does not hold");
        }
        return read;
    }

    private static Object xml(String text) {
        try {
            return DatatypeFactory.newInstance().newXMLGregorianCalendar(text);
        } catch (DatatypeConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }
}
