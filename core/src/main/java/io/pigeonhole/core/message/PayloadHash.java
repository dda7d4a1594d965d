package io.pigeonhole.core.message;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The first 128 bits of the SHA-256 of a payload, by which a message that came again with another payload is distinguished from a
 * duplicate. Stored: the derivation never changes. A tombstone has a
 * value that is the hash of no payload that anybody could find.
 *
 * @param high the first 8 bytes, most significant first
 * @param low the last 8 bytes, most significant first
 */
public record PayloadHash(long high, long low) {
    private static final PayloadHash TOMBSTONE = new PayloadHash(0, 0);

    /**
     * The hash of a message's payload.
     *
     * @param message the message
     * @return its hash
     */
    public static PayloadHash of(Message message) {
        return ofBytes(message.isTombstone() ? null : message.payload());
    }

    /**
     * The hash of a payload.
     *
     * @param payload its bytes, or null for a tombstone
     * @return its hash
     */
    public static PayloadHash ofBytes(byte @Nullable [] payload) {
        if (payload == null) {
            return TOMBSTONE;
        }
        try {
            ByteBuffer hash =
                    ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(payload));
            return new PayloadHash(hash.getLong(), hash.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", e);
        }
    }

    /**
     * The same bits as a UUID, for databases.
     *
     * @return the UUID
     */
    public UUID toUuid() {
        return new UUID(high, low);
    }
}
