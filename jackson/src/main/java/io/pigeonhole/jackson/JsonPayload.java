package io.pigeonhole.jackson;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decoders for payloads that are JSON, meant to be imported statically: {@code .handle("payment", json(Payment.class), …)}.
 *
 * <p>The mapper that comes with it refuses what would silently become something else: a name that stands twice in an object,
 * a fraction where a whole number is expected, null for a primitive, anything behind the end of the document. Names that the
 * type does not know are ignored, so that producers may add fields; for a name that is absent the type gets null or zero, so
 * that it may add fields too: let its constructor check what must be there. Whoever wants it otherwise passes a mapper of
 * their own.
 *
 * <p>All decoders are safe for use by many threads. They keep no state, so a crash does nothing to them.
 */
public final class JsonPayload {
    private JsonPayload() {}

    /**
     * Reads each payload as one JSON document.
     *
     * @param type what to read it as
     * @param <T> what to read it as
     * @return a decoder that throws on a tombstone, on an empty payload, on the document {@code null}, and on everything
     *     that is not JSON for this type; the message then goes to the dead letters with its bytes
     */
    public static <T> PayloadDecoder<T> json(Class<T> type) {
        return json(type, StandardMapper.INSTANCE);
    }

    /**
     * Reads each payload as one JSON document, with a mapper of the caller's own.
     *
     * @param type what to read it as
     * @param mapper how to read it; the settings are taken as they are
     * @param <T> what to read it as
     * @return a decoder that throws on a tombstone, on an empty payload, on a document that the mapper reads as null, and on
     *     everything that the mapper refuses; the message then goes to the dead letters with its bytes
     */
    public static <T> PayloadDecoder<T> json(Class<T> type, ObjectMapper mapper) {
        ObjectReader reader = mapper.readerFor(type);
        return message -> {
            requireContent(message, type);
            T decoded = reader.readValue(message.payload());
            if (decoded == null) {
                throw new IllegalArgumentException("the document is null, expected " + type.getSimpleName());
            }
            return decoded;
        };
    }

    /** A mapper would complain about these too, but not say which of the two it was. */
    private static void requireContent(Message message, Class<?> type) {
        if (message.isTombstone()) {
            throw new IllegalArgumentException("a tombstone has no JSON, expected " + type.getSimpleName()
                    + "; a decoder of its own may give it a meaning");
        }
        if (message.payload().length == 0) {
            throw new IllegalArgumentException("the payload is empty, expected " + type.getSimpleName());
        }
    }

    /** Built when it is first asked for: whoever brings a mapper needs none. */
    private static final class StandardMapper {
        static final ObjectMapper INSTANCE = JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .build();
    }
}
