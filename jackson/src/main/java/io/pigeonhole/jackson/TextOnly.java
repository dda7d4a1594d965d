package io.pigeonhole.jackson;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * What is read from text, such as a URI or a locale, is not made of a number or a boolean, and nothing of the text is left out. A time
 * zone is the one that was sent: the JDK makes GMT of every name that it does not know.
 */
final class TextOnly extends DelegatingDeserializer {
    /** Of these, blanks are a part. */
    private static final Set<Class<?>> WITH_BLANKS = Set.of(StringBuilder.class, StringBuffer.class, Pattern.class);

    TextOnly(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new TextOnly(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        JsonToken token = parser.currentToken();
        if (token.isScalarValue() && token != JsonToken.VALUE_STRING && token != JsonToken.VALUE_NULL) {
            throw new RefusedValueException(parser, "a text is expected", handledType());
        }
        if (!WITH_BLANKS.contains(handledType())) {
            Blanks.requireNone(parser, handledType());
        }
        if (TimeZone.class.isAssignableFrom(handledType()) && token == JsonToken.VALUE_STRING) {
            return zone(parser);
        }
        String text = token == JsonToken.VALUE_STRING ? parser.getString() : "";
        Object read = super.deserialize(parser, context);
        requireAll(read, text, parser);
        return read;
    }

    private static void requireAll(@Nullable Object read, String text, JsonParser parser) {
        if (read instanceof Locale locale) {
            ExactLocale.require(locale, text, parser);
        }
        if (read instanceof UUID uuid && !uuid.toString().equalsIgnoreCase(text)) {
            ExactBase64.require(bytes(uuid), text, parser, UUID.class);
        }
    }

    private static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private TimeZone zone(JsonParser parser) {
        try {
            ZoneId sent = ZoneId.of(parser.getString(), ZoneId.SHORT_IDS);
            TimeZone byName = TimeZone.getTimeZone(parser.getString());
            // It knows an offset by name only with GMT in front.
            TimeZone read = isSame(byName, sent) ? byName : TimeZone.getTimeZone(sent.normalized());
            if (isSame(read, sent)) {
                return read;
            }
        } catch (DateTimeException e) {
            throw new RefusedValueException(parser, "no such time zone is known", handledType());
        }
        throw new RefusedValueException(parser, "a TimeZone does not hold this zone; a ZoneId does", handledType());
    }

    private static boolean isSame(TimeZone read, ZoneId sent) {
        return read.toZoneId().getRules().equals(sent.getRules());
    }
}
