package io.pigeonhole.core.message;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The 16 bytes that the ledger knows a message by. An on-disk format; {@code docs/message-key.md} specifies it with test
 * vectors. A key in <em>time form</em> begins with the 48-bit milliseconds of a time-ordered id, a key in <em>digest
 * form</em> with the byte {@code 0xFF}. Keys are ordered as their bytes are, unsigned, which is how PostgreSQL orders its
 * {@code uuid} and how {@link UUID#compareTo} does not.
 *
 * @param high the first 8 bytes, most significant first
 * @param low the last 8 bytes, most significant first
 */
public record MessageKey(long high, long low) implements Comparable<MessageKey> {
    /** The smallest key in digest form; every key in time form is smaller. */
    public static final MessageKey FIRST_DIGEST = new MessageKey(0xFFL << 56, 0);

    /** The largest key in time form, of an instant that no ledger has a day for. */
    public static final MessageKey LAST_WITH_TIME = new MessageKey((0xFFL << 56) - 1, -1);

    /**
     * The smallest key in time form of an instant.
     *
     * @param epochMillis milliseconds since 1970, from 0 to 2^48 - 1
     * @return the key with the instant and 80 zero bits
     */
    public static MessageKey firstOf(long epochMillis) {
        if (epochMillis < 0 || epochMillis >>> 48 != 0) {
            throw new IllegalArgumentException(epochMillis + " ms do not fit into 48 bits");
        }
        return new MessageKey(epochMillis << 16, 0);
    }

    /**
     * The key with these bytes.
     *
     * @param bytes exactly 16
     * @return the key
     */
    public static MessageKey of(byte[] bytes) {
        if (bytes.length != 16) {
            throw new IllegalArgumentException("a message key has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new MessageKey(buffer.getLong(), buffer.getLong());
    }

    /**
     * The key that a database's {@code uuid} holds.
     *
     * @param uuid 16 bytes
     * @return the key
     */
    public static MessageKey of(UUID uuid) {
        return new MessageKey(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    /**
     * Whether the key begins with a time.
     *
     * @return true for the time form, false for the digest form
     */
    public boolean isTimeForm() {
        return high >>> 56 != 0xFF;
    }

    /**
     * The time that a key in time form begins with.
     *
     * @return milliseconds since 1970
     * @throws IllegalStateException if the key is in digest form
     */
    public long epochMillis() {
        if (!isTimeForm()) {
            throw new IllegalStateException(this + " is in digest form and holds no time");
        }
        return high >>> 16;
    }

    /**
     * The 16 bytes.
     *
     * @return a new array
     */
    public byte[] toBytes() {
        return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    }

    /**
     * The 16 bytes as a database's {@code uuid}.
     *
     * @return the same bytes; do not compare it with {@link UUID#compareTo}, which is signed
     */
    public UUID toUuid() {
        return new UUID(high, low);
    }

    @Override
    public int compareTo(MessageKey other) {
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /** Written out, because keys are looked up many times for each message, and this is faster until the JVM has compiled it. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MessageKey key && high == key.high && low == key.low;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(high) + Long.hashCode(low);
    }

    @Override
    public String toString() {
        return toUuid().toString();
    }
}
