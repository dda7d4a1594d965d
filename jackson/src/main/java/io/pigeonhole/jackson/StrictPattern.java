package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A date or time of {@code java.time} with a pattern of its own. {@code java.time} drops what the type does not hold, such as an offset
 * for a local time, shifts a time that a zone leaves out, or one with an offset that the zone does not have then, and takes names of
 * zones for one of those that have them.
 */
final class StrictPattern extends DelegatingDeserializer {
    private final DateTimeFormatter pattern;

    private final ZoneInText zoneInText;

    /** The zone of a text that says none. */
    private final @Nullable ZoneId zone;

    private StrictPattern(
            ValueDeserializer<?> delegate, DateTimeFormatter pattern, ZoneInText zoneInText, @Nullable ZoneId zone) {
        super(delegate);
        this.pattern = pattern;
        this.zoneInText = zoneInText;
        this.zone = zone;
    }

    /** The deserializer itself where its type is no date or time, such as a duration, or says that it is lenient. */
    static ValueDeserializer<?> of(
            ValueDeserializer<?> delegate, JsonFormat.Value format, DeserializationContext context) {
        if (!isDateOrTime(delegate.handledType()) || Boolean.TRUE.equals(format.getLenient())) {
            return delegate;
        }
        boolean ignoresCase = Boolean.TRUE.equals(format.getFeature(JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_VALUES));
        Locale locale = format.hasLocale() ? format.getLocale() : context.getLocale();
        return new StrictPattern(
                delegate,
                formatter(format.getPattern(), locale, ignoresCase),
                ZoneInText.of(format.getPattern(), pattern -> formatter(pattern, locale, ignoresCase)),
                format.hasTimeZone() ? format.getTimeZone().toZoneId() : null);
    }

    private static boolean isDateOrTime(Class<?> type) {
        return Temporal.class.isAssignableFrom(type) || type == MonthDay.class;
    }

    private static DateTimeFormatter formatter(String pattern, Locale locale, boolean ignoresCase) {
        DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder();
        if (ignoresCase) {
            builder.parseCaseInsensitive();
        }
        return builder.appendPattern(pattern).toFormatter(locale).withResolverStyle(ResolverStyle.STRICT);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new StrictPattern(delegate, pattern, zoneInText, zone);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        Object read = super.deserialize(parser, context);
        if (parser.hasToken(JsonToken.VALUE_STRING) && read instanceof TemporalAccessor time) {
            String reason = difference(time, parser.getString().trim());
            if (reason != null) {
                throw new RefusedValueException(parser, reason, handledType());
            }
        }
        return read;
    }

    /** Why a text does not say what was read; null if it does. */
    private @Nullable String difference(TemporalAccessor read, String text) {
        TemporalAccessor sent = pattern.parse(text);
        if (!holdsAll(read, sent)) {
            return "the text says more than the type holds";
        }
        ZoneId sentZone = sent.query(TemporalQueries.zoneId());
        if (sentZone != null && !zoneInText.isSaidBy(text, sentZone)) {
            return "zones share their names, and of two zones one would be lost: send one id such as Europe/Berlin, or an"
                    + " offset";
        }
        return isInItsZone(read, sent, sentZone)
                ? null
                : "the zone does not have this local time, or not with this offset";
    }

    /** An instant has no fields, and is made of all of them. */
    private static boolean holdsAll(TemporalAccessor read, TemporalAccessor sent) {
        boolean holdsFields = Arrays.stream(ChronoField.values())
                .allMatch(field -> read.isSupported(field) || !sent.isSupported(field));
        boolean holdsZone = read.query(TemporalQueries.zone()) != null || sent.query(TemporalQueries.zone()) == null;
        return read instanceof Instant || (holdsFields && holdsZone);
    }

    /**
     * An offset alone says all; the zone of the type changes nothing of the moment then. Nor does it of a type that is no moment, such
     * as a local time.
     */
    private boolean isInItsZone(TemporalAccessor read, TemporalAccessor sent, @Nullable ZoneId sentZone) {
        LocalDate date = sent.query(TemporalQueries.localDate());
        LocalTime time = sent.query(TemporalQueries.localTime());
        ZoneOffset offset = sent.query(TemporalQueries.offset());
        boolean isMoment = read instanceof Instant || read instanceof ZonedDateTime;
        ZoneId in = sentZone == null && offset == null && isMoment ? zone : sentZone;
        if (date == null || time == null || in == null) {
            return true;
        }
        List<ZoneOffset> offsets = in.getRules().getValidOffsets(LocalDateTime.of(date, time));
        return offset == null ? !offsets.isEmpty() : offsets.contains(offset);
    }
}
