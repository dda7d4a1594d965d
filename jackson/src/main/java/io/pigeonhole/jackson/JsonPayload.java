package io.pigeonhole.jackson;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;

/**
 * Decoders for payloads that are JSON, meant to be imported statically: {@code .handle("payment", json(Payment.class), …)}.
 *
 * <p>{@link #json(Class)} is strict: a value is read as what was sent, or the payload is undecodable. Text is not taken for a
 * number, a number not for an enum, a date or a boolean, nothing is rounded to infinity or cut to fit, an empty text is not
 * null, blanks around a value are not dropped, and a primitive component of a record, or parameter of a creator, that is absent
 * is not zero. The keys of maps are read as strictly, and two names of one map never become the same key. The exponent of a
 * number is at most 10,000, up or down. The bytes are UTF-8, well-formed, without a byte order mark and without escapes of half
 * a character. Two names of one property ({@code @JsonAlias}) are refused. Names that the type does not know are ignored, so
 * that producers may add fields; for an absent name that is no primitive the type gets null, so that it may add fields too. What
 * a type says by Jackson's annotations is the type's decision, but no text is read in part. {@code docs/json.md} has the
 * list. {@link #json(Class, ObjectMapper)} leaves all of it to a mapper of the caller's.
 *
 * <p>Generic types are named by a {@link TypeReference}: {@code json(new TypeReference<List<Payment>>() {})}.
 *
 * <p>All decoders are safe for use by many threads. They keep no state, so a crash does nothing to them.
 */
public final class JsonPayload {
    private JsonPayload() {}

    /**
     * Reads each payload as one JSON document, strictly. An array with equal elements is refused for a set.
     *
     * @param type what to read it as
     * @param <T> what to read it as
     * @return a decoder that throws on a tombstone, on an empty payload, on the document {@code null}, and on everything
     *     that is not JSON for this type; the message then goes to the dead letters with its bytes, and with a reason that
     *     names the field and what was expected, but repeats no value. What a constructor of the type throws is repeated
     * @throws ConfigurationException if nothing can be read as the type, such as an interface, or a list of interfaces, with what
     *     Jackson says of it. Types of properties are not looked at: a message that has such a property is undecodable
     */
    public static <T> PayloadDecoder<T> json(Class<T> type) {
        return strict(StrictMapper.INSTANCE.constructType(type));
    }

    /**
     * Reads each payload as one JSON document of a generic type, as strictly as {@link #json(Class)}:
     * {@code json(new TypeReference<Envelope<Payment>>() {})}.
     *
     * @param type what to read it as
     * @param <T> what to read it as
     * @return a decoder as that of {@link #json(Class)}
     * @throws ConfigurationException if nothing can be read as the type, such as a list of interfaces
     */
    public static <T> PayloadDecoder<T> json(TypeReference<T> type) {
        return strict(StrictMapper.INSTANCE.constructType(type));
    }

    private static <T> PayloadDecoder<T> strict(JavaType type) {
        ObjectReader reader = readerFor(type, StrictMapper.INSTANCE);
        String name = TypeName.of(type);
        return message -> {
            requireContent(message, name);
            T decoded;
            try {
                decoded = reader.readValue(Escapes.requireWhole(Utf8.decode(message.payload())));
            } catch (JacksonException e) {
                throw Undecodable.of(e, name);
            }
            return requireDocument(decoded, name);
        };
    }

    /**
     * Reads each payload as one JSON document, with a mapper of the caller's own. Whether values silently become others, such as
     * {@code 1e400} an infinity, is for that mapper to say, and so is what encodings it guesses; Jackson's own standards let
     * many. The messages of its exceptions may repeat values, and are kept as the reason of the dead letter.
     *
     * @param type what to read it as
     * @param mapper how to read it; the settings are taken as they are
     * @param <T> what to read it as
     * @return a decoder that throws on a tombstone, on an empty payload, on a document that the mapper reads as null, and on
     *     everything that the mapper refuses; the message then goes to the dead letters with its bytes
     * @throws ConfigurationException if the mapper can read nothing as the type, such as an interface that it knows no class for
     */
    public static <T> PayloadDecoder<T> json(Class<T> type, ObjectMapper mapper) {
        return by(mapper, mapper.constructType(type));
    }

    /**
     * Reads each payload as one JSON document of a generic type, with a mapper of the caller's own, as
     * {@link #json(Class, ObjectMapper)}.
     *
     * @param type what to read it as
     * @param mapper how to read it; the settings are taken as they are
     * @param <T> what to read it as
     * @return a decoder as that of {@link #json(Class, ObjectMapper)}
     * @throws ConfigurationException if the mapper can read nothing as the type, such as a list of interfaces
     */
    public static <T> PayloadDecoder<T> json(TypeReference<T> type, ObjectMapper mapper) {
        return by(mapper, mapper.constructType(type));
    }

    private static <T> PayloadDecoder<T> by(ObjectMapper mapper, JavaType type) {
        ObjectReader reader = readerFor(type, mapper);
        String name = TypeName.of(type);
        return message -> {
            requireContent(message, name);
            T decoded = reader.readValue(message.payload());
            return requireDocument(decoded, name);
        };
    }

    private static ObjectReader readerFor(JavaType type, ObjectMapper mapper) {
        ReadableType.require(mapper, type);
        return mapper.readerFor(type);
    }

    private static <T> T requireDocument(@Nullable T decoded, String type) {
        if (decoded == null) {
            throw new IllegalArgumentException("the document is null, expected " + type);
        }
        return decoded;
    }

    /** A mapper would complain about these too, but not say which of the two it was. */
    private static void requireContent(Message message, String type) {
        if (message.isTombstone()) {
            throw new IllegalArgumentException(
                    "a tombstone has no JSON, expected " + type + "; a decoder of its own may give it a meaning");
        }
        if (message.payload().length == 0) {
            throw new IllegalArgumentException("the payload is empty, expected " + type);
        }
    }
}
