package io.pigeonhole.core.message;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** The key within which messages keep their order, compared by its bytes. Immutable as long as nobody changes the bytes. */
public final class OrderingKey {
    private static final int LONGEST_SHOWN = 100;

    private final byte[] bytes;

    private OrderingKey(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A key of bytes.
     *
     * @param bytes the bytes, not copied
     * @return the key
     */
    public static OrderingKey of(byte[] bytes) {
        return new OrderingKey(bytes);
    }

    /**
     * A key of text, as most producers send it.
     *
     * @param text the text, taken as UTF-8
     * @return the key
     */
    public static OrderingKey of(String text) {
        return new OrderingKey(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The key of a message.
     *
     * @param message the message
     * @return its key, or null where it has none
     */
    public static @Nullable OrderingKey of(Message message) {
        byte[] bytes = message.orderingKey();
        return bytes == null ? null : new OrderingKey(bytes);
    }

    /**
     * The bytes.
     *
     * @return the bytes, not to be changed
     */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * The number that decides about partitions: the CRC-32 of the bytes. The work partition in the tables follows from it, so
     * it never changes.
     *
     * @param bytes the bytes of an ordering key, or of what stands for one
     * @param partitions how many partitions there are, at least 1
     * @return the partition, from 0
     */
    public static int partition(byte[] bytes, int partitions) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) (crc.getValue() % partitions);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OrderingKey key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** For people: its text where it is one, and at most {@value #LONGEST_SHOWN} bytes of it. */
    @Override
    public String toString() {
        boolean cut = bytes.length > LONGEST_SHOWN;
        byte[] shown = cut ? Arrays.copyOf(bytes, LONGEST_SHOWN) : bytes;
        String text = textOf(shown);
        return "ordering key "
                + (text == null ? "of the bytes " + HexFormat.of().formatHex(shown) : "'" + text + "'")
                + (cut ? "… (" + bytes.length + " bytes)" : "");
    }

    private static @Nullable String textOf(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.chars().anyMatch(Character::isISOControl) ? null : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
