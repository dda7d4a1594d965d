package io.pigeonhole.jackson;

import java.util.regex.Pattern;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * An address of the internet that is sent as an address. A name would be looked up: whoever sends the message would decide whom this
 * process asks, the thread would wait for the answer, and the value would be another one tomorrow.
 */
final class LiteralAddress extends DelegatingDeserializer {
    /** Where there is a colon, Java takes nothing but version 6, and looks up no name. */
    private static final Pattern DIGITS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    LiteralAddress(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new LiteralAddress(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        String text = parser.hasToken(JsonToken.VALUE_STRING) ? parser.getString() : "";
        if (!DIGITS.matcher(text).matches()) {
            throw new RefusedValueException(parser, "an address is expected in digits, and no name", handledType());
        }
        return super.deserialize(parser, context);
    }
}
