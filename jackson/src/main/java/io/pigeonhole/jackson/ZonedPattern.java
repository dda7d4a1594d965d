package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A moment with a pattern of its own, in a zone that has it. {@code java.time} shifts a time that a zone leaves out, and one with an
 * offset that the zone does not have then.
 */
final class ZonedPattern extends DelegatingDeserializer {
    private static final Set<Class<?>> MOMENTS = Set.of(Instant.class, OffsetDateTime.class, ZonedDateTime.class);

    private final DateTimeFormatter pattern;

    private final ZoneName name;

    /** The zone of a text that says none. */
    private final @Nullable ZoneId zone;

    private ZonedPattern(
            ValueDeserializer<?> delegate, DateTimeFormatter pattern, ZoneName name, @Nullable ZoneId zone) {
        super(delegate);
        this.pattern = pattern;
        this.name = name;
        this.zone = zone;
    }

    /** The deserializer itself where its type is in no zone, or says that it is lenient. */
    static ValueDeserializer<?> of(
            ValueDeserializer<?> delegate, JsonFormat.Value format, DeserializationContext context) {
        if (!MOMENTS.contains(delegate.handledType()) || Boolean.TRUE.equals(format.getLenient())) {
            return delegate;
        }
        DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder();
        if (Boolean.TRUE.equals(format.getFeature(JsonFormat.Feature.ACCEPT_CASE_INSENSITIVE_VALUES))) {
            builder.parseCaseInsensitive();
        }
        Locale locale = format.hasLocale() ? format.getLocale() : context.getLocale();
        return new ZonedPattern(
                delegate,
                builder.appendPattern(format.getPattern()).toFormatter(locale).withResolverStyle(ResolverStyle.STRICT),
                ZoneName.of(format.getPattern(), locale),
                format.hasTimeZone() ? format.getTimeZone().toZoneId() : null);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new ZonedPattern(delegate, pattern, name, zone);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        Object read = super.deserialize(parser, context);
        if (parser.hasToken(JsonToken.VALUE_STRING)
                && !isInItsZone(parser.getString().trim())) {
            throw new RefusedValueException(
                    parser,
                    "the zone does not have this local time, or not with this offset, or not by this name",
                    handledType());
        }
        return read;
    }

    /** An offset alone says all; the zone of the type changes nothing of the moment then. */
    private boolean isInItsZone(String text) {
        TemporalAccessor sent = pattern.parse(text);
        LocalDate date = sent.query(TemporalQueries.localDate());
        LocalTime time = sent.query(TemporalQueries.localTime());
        ZoneOffset offset = sent.query(TemporalQueries.offset());
        ZoneId sentZone = sent.query(TemporalQueries.zoneId());
        ZoneId in = sentZone == null && offset == null ? zone : sentZone;
        if (date == null || time == null || in == null) {
            return true;
        }
        LocalDateTime local = LocalDateTime.of(date, time);
        List<ZoneOffset> offsets = in.getRules().getValidOffsets(local);
        boolean hasTime = offset == null ? !offsets.isEmpty() : offsets.contains(offset);
        return hasTime && name.isIn(text, ZonedDateTime.ofLocal(local, in, offset));
    }
}
