package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.time.Duration;
import java.time.Year;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * Dates, times and durations are text. A number does not say whether it means seconds, milliseconds or days; a text of digits is a
 * number to Jackson. Where the type names a format by an annotation, that holds, for numbers only where it says so.
 */
final class TimeAsText extends DelegatingDeserializer {
    /** Formats that say nothing else than this class. */
    private static final Set<JsonFormat.Shape> TEXT =
            EnumSet.of(JsonFormat.Shape.ANY, JsonFormat.Shape.NATURAL, JsonFormat.Shape.STRING);

    static final String NO_UNIT = "a number does not say which unit of time it counts";

    /** Possessive: one that goes back over the digits would take hours for a long text. */
    private static final Pattern NUMBER = Pattern.compile("[+-]?+[0-9]*+\\.?+[0-9]*+");

    TimeAsText(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new TimeAsText(delegate);
    }

    @Override
    public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        BeanProperty readAs = LegacyTime.is(handledType()) ? property : ProlepticYear.of(property);
        JsonFormat.Value format = findFormatOverrides(context, readAs, handledType());
        ValueDeserializer<?> contextual = super.createContextual(context, readAs);
        if (!(contextual instanceof TimeAsText strict)) {
            return contextual;
        }
        if (!format.hasPattern() && TEXT.contains(format.getShape())) {
            return contextual;
        }
        ValueDeserializer<?> formatted =
                format.hasPattern() ? patterned(strict.getDelegatee(), format, context) : strict.getDelegatee();
        TimeArray array = TimeArray.of(format);
        TimeAsText text = format.hasPattern() ? null : strict;
        return saysWhatNumbersCount(format)
                ? new TimeAsNumber(formatted, countsSeconds(format), array, text)
                : new TimeByFormat(formatted, array, text);
    }

    private static ValueDeserializer<?> patterned(
            ValueDeserializer<?> delegate, JsonFormat.Value format, DeserializationContext context) {
        return LegacyTime.is(delegate.handledType())
                ? LegacyPattern.of(delegate, format, context)
                : StrictPattern.of(delegate, format, context);
    }

    /** A pattern does not; that of a duration is a unit of time. */
    private boolean saysWhatNumbersCount(JsonFormat.Value format) {
        return format.getShape().isNumeric()
                || handledType() == Year.class
                || (handledType() == Duration.class && format.hasPattern());
    }

    /** The unit of a duration goes before all else. Without nanoseconds it is the millisecond. */
    private boolean countsSeconds(JsonFormat.Value format) {
        boolean namesUnit = handledType() == Duration.class && format.hasPattern();
        return namesUnit
                ? format.getPattern().equals(ChronoUnit.SECONDS.name())
                : !Boolean.FALSE.equals(format.getFeature(JsonFormat.Feature.READ_DATE_TIMESTAMPS_AS_NANOSECONDS));
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        Blanks.requireNone(parser, handledType());
        if (handledType() == Year.class) {
            return super.deserialize(parser, context);
        }
        if (isNumber(parser)) {
            throw new RefusedValueException(
                    parser,
                    handledType().isEnum()
                            ? "a number does not say whether the first one is 0 or 1; the name is expected, as Java writes it"
                            : NO_UNIT + "; text in ISO 8601 is expected",
                    handledType());
        }
        if (!parser.hasToken(JsonToken.VALUE_STRING)) {
            throw new RefusedValueException(parser, "text in ISO 8601 is expected", handledType());
        }
        String text = parser.getString();
        if (LegacyTime.is(handledType())) {
            return LegacyTime.read(handledType(), text, parser);
        }
        Object read = super.deserialize(parser, context);
        SameTime.require(read, text, parser);
        return read;
    }

    private static boolean isNumber(JsonParser parser) {
        JsonToken token = parser.currentToken();
        return token.isNumeric()
                || (token == JsonToken.VALUE_STRING
                        && NUMBER.matcher(parser.getString()).matches());
    }
}
