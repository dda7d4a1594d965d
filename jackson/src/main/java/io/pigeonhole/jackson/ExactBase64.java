package io.pigeonhole.jackson;

import java.nio.ByteBuffer;
import java.util.Base64;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * Bytes in base64 have one text only: without blanks, without padding in the middle, and without bits behind the last byte, all of
 * which Jackson leaves out. This one reads a {@link ByteBuffer}.
 */
final class ExactBase64 extends DelegatingDeserializer {
    ExactBase64(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    /** Refuses a text that is not what these bytes are written as. */
    static void require(byte[] read, String text, JsonParser parser, Class<?> type) {
        if (!Base64.getEncoder().encodeToString(read).equals(text)) {
            throw new RefusedValueException(
                    parser, "the base64 has blanks, or bits that belong to none of its bytes", type);
        }
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new ExactBase64(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        boolean isText = parser.hasToken(JsonToken.VALUE_STRING);
        String text = isText ? parser.getString() : "";
        Object read = super.deserialize(parser, context);
        if (isText && read instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            require(bytes, text, parser, ByteBuffer.class);
        }
        return read;
    }
}
