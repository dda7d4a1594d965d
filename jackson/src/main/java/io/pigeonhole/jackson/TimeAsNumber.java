package io.pigeonhole.jackson;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A date, time or duration of which the type says what a number counts: it is read with all its digits, or refused. To Jackson a number
 * with a fraction or an exponent counts seconds, whatever the unit is; digits behind the ninth are cut off.
 */
final class TimeAsNumber extends DelegatingDeserializer {
    /** Jackson reads such a text as a number. */
    private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+(\\.[0-9]+)?");

    private final boolean countsSeconds;

    private final TimeArray array;

    /** What reads text that is no number, where that is not left to a pattern. */
    private final @Nullable TimeAsText text;

    TimeAsNumber(ValueDeserializer<?> delegate, boolean countsSeconds, TimeArray array, @Nullable TimeAsText text) {
        super(delegate);
        this.countsSeconds = countsSeconds;
        this.array = array;
        this.text = text;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new TimeAsNumber(delegate, countsSeconds, array, text);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (text != null && parser.hasToken(JsonToken.VALUE_STRING)) {
            Blanks.requireNone(parser, handledType());
            if (!NUMBER.matcher(parser.getString()).matches()) {
                return text.deserialize(parser, context);
            }
            BoundedText.require(parser.getString(), parser, handledType());
        }
        BigDecimal fraction = fraction(parser);
        if (fraction != null && !countsSeconds) {
            throw new RefusedValueException(
                    parser,
                    "the unit of the type is counted in whole numbers, without a fraction or an exponent",
                    handledType());
        }
        Object read = array.read(getDelegatee(), parser, context);
        if (fraction != null && !isExact(read, fraction)) {
            throw new RefusedValueException(
                    parser,
                    "the type holds nine digits behind the point, and not every number before it",
                    handledType());
        }
        return read;
    }

    /** Null if the value is no number, or a whole one. */
    private @Nullable BigDecimal fraction(JsonParser parser) {
        if (parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT)) {
            return parser.getDecimalValue();
        }
        boolean isNumber = text != null
                && parser.hasToken(JsonToken.VALUE_STRING)
                && parser.getString().indexOf('.') >= 0;
        return isNumber ? new BigDecimal(parser.getString()) : null;
    }

    /** Other types than these are not read from fractions. */
    private static boolean isExact(Object read, BigDecimal seconds) {
        if (read instanceof Duration duration) {
            return isExact(duration.getSeconds(), duration.getNano(), seconds);
        }
        if (read instanceof Instant instant) {
            return isExact(instant.getEpochSecond(), instant.getNano(), seconds);
        }
        if (read instanceof OffsetDateTime time) {
            return isExact(time.toEpochSecond(), time.getNano(), seconds);
        }
        return !(read instanceof ZonedDateTime zoned) || isExact(zoned.toEpochSecond(), zoned.getNano(), seconds);
    }

    private static boolean isExact(long whole, int nanoseconds, BigDecimal seconds) {
        return BigDecimal.valueOf(whole).add(BigDecimal.valueOf(nanoseconds, 9)).compareTo(seconds) == 0;
    }
}
