package io.pigeonhole.core.message;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The id of a message, as the bytes that its producer wrote. Two ids are the same when their bytes are the same: no case
 * is folded, no space trimmed, no text normalised, because each of these would make two messages one. Immutable and safe
 * for use by many threads.
 */
public final class MessageId {
    private final byte[] bytes;

    private MessageId(byte[] bytes) {
        if (bytes.length == 0) {
            throw new IllegalArgumentException("a message id has at least 1 byte; a message without an id has none");
        }
        this.bytes = bytes;
    }

    /**
     * The id with the UTF-8 bytes of a text.
     *
     * @param text the id, at least one character
     * @return the id
     * @throws IllegalArgumentException if the text is empty, or holds half of a surrogate pair: it has no bytes of its own,
     *     and replacing it would make two ids one
     */
    public static MessageId of(String text) {
        return new MessageId(Utf8.bytes("the id", text));
    }

    /**
     * The id that is the text of a UUID, in lower case with hyphens: the same id as {@code of(id.toString())}.
     *
     * @param id the UUID
     * @return the id
     */
    public static MessageId of(UUID id) {
        return of(Objects.requireNonNull(id, "the id").toString());
    }

    /**
     * The id with these bytes, whatever they mean.
     *
     * @param bytes the id, at least one byte; copied
     * @return the id
     * @throws IllegalArgumentException if there are no bytes
     */
    public static MessageId of(byte[] bytes) {
        return new MessageId(Objects.requireNonNull(bytes, "the bytes").clone());
    }

    /**
     * The length of the id.
     *
     * @return the number of bytes, at least 1
     */
    public int length() {
        return bytes.length;
    }

    /**
     * The id's bytes.
     *
     * @return a copy
     */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** The bytes themselves, for the digest. */
    byte[] bytes() {
        return bytes;
    }

    /** The text, where the bytes are well-formed UTF-8. */
    private @Nullable String decoded() {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MessageId id && Arrays.equals(bytes, id.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /**
     * The id for a person: its text where the bytes are UTF-8, else {@code 0x} and their hexadecimal digits.
     *
     * @return the text; not unique, never to be used as an identity
     */
    @Override
    public String toString() {
        String text = decoded();
        return text != null ? text : "0x" + HexFormat.of().formatHex(bytes);
    }
}
