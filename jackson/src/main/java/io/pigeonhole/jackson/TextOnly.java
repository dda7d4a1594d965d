package io.pigeonhole.jackson;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.TimeZone;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * What is read from text, such as a URI or a locale, is not made of a number or a boolean. A time zone is the one that was sent: the JDK makes
 * GMT of every name that it does not know.
 */
final class TextOnly extends DelegatingDeserializer {
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
        if (TimeZone.class.isAssignableFrom(handledType()) && token == JsonToken.VALUE_STRING) {
            return zone(parser);
        }
        return super.deserialize(parser, context);
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
