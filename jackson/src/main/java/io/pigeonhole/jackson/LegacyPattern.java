package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.text.DateFormat;
import java.text.FieldPosition;
import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.Calendar;
import java.util.Date;
import java.util.SimpleTimeZone;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A date of an older type with a pattern of its own: the pattern stands for all of the text, not only for how it begins, its
 * milliseconds are three digits, and it writes the date as the same text again.
 */
final class LegacyPattern extends DelegatingDeserializer {
    private static final Pattern QUOTED = Pattern.compile("'[^']*'");

    /** Not safe for use by many threads: each call takes a copy. */
    private final SimpleDateFormat pattern;

    private final boolean isLenient;

    private LegacyPattern(ValueDeserializer<?> delegate, SimpleDateFormat pattern, boolean isLenient) {
        super(delegate);
        this.pattern = pattern;
        this.isLenient = isLenient;
    }

    static LegacyPattern of(ValueDeserializer<?> delegate, JsonFormat.Value format, DeserializationContext context) {
        SimpleDateFormat pattern = new SimpleDateFormat(
                format.getPattern(), format.hasLocale() ? format.getLocale() : context.getLocale());
        pattern.setTimeZone(format.hasTimeZone() ? format.getTimeZone() : context.getTimeZone());
        return new LegacyPattern(delegate, pattern, Boolean.TRUE.equals(format.getLenient()));
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new LegacyPattern(delegate, pattern, isLenient);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (parser.hasToken(JsonToken.VALUE_STRING)) {
            String text = parser.getString().trim();
            BoundedText.require(text, parser, handledType());
            SimpleDateFormat reading = (SimpleDateFormat) pattern.clone();
            ParsePosition position = new ParsePosition(0);
            Date read = reading.parse(text, position);
            String reason = read == null ? null : difference(reading, read, text, position.getIndex());
            if (reason != null) {
                throw new RefusedValueException(parser, reason, handledType());
            }
        }
        return super.deserialize(parser, context);
    }

    /** Why a text does not say what was read; null if it does. */
    private @Nullable String difference(SimpleDateFormat reading, Date read, String text, int end) {
        if (end < text.length()) {
            return "the pattern of the type says nothing of how the text ends";
        }
        if (!Milliseconds.areExact(pattern, text, read)) {
            return "the milliseconds of the pattern are read from three digits";
        }
        if (isLenient) {
            return null;
        }
        if ((has('h') || has('K')) && !has('a')) {
            return "the pattern of the type has hours of half a day (h, K), and does not say which half (a)";
        }
        if (has('Y') && !has('w')) {
            return "the pattern of the type has the year of a week (Y), and not the week (w)";
        }
        return isWritten(reading, read, text) ? null : "the pattern of the type would write the date as another text";
    }

    private boolean has(char letter) {
        return QUOTED.matcher(pattern.toPattern()).replaceAll("").indexOf(letter) >= 0;
    }

    /** Whether it is written as this text, but for the zone, which has many names, and for capitals. */
    @SuppressWarnings("JdkObsolete") // SimpleDateFormat writes into no other buffer.
    private static boolean isWritten(SimpleDateFormat reading, Date read, String text) {
        Calendar sent = reading.getCalendar();
        reading.setTimeZone(new SimpleTimeZone(sent.get(Calendar.ZONE_OFFSET) + sent.get(Calendar.DST_OFFSET), "sent"));
        FieldPosition zone = new FieldPosition(DateFormat.TIMEZONE_FIELD);
        String written = reading.format(read, new StringBuffer(), zone).toString();
        int behindZone = written.length() - zone.getEndIndex();
        return zone.getEndIndex() == 0
                ? written.equalsIgnoreCase(text)
                : written.regionMatches(true, 0, text, 0, zone.getBeginIndex())
                        && written.regionMatches(
                                true, zone.getEndIndex(), text, text.length() - behindZone, behindZone);
    }
}
