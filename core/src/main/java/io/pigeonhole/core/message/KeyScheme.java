package io.pigeonhole.core.message;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * How one consumer turns ids into {@linkplain MessageKey keys}. It is fixed when the consumer is registered and never
 * changes afterwards: the form of a key must not depend on when it is asked, or a redelivery could take the other form and
 * pass for new.
 *
 * @param digestBelow milliseconds since 1970: ids created before it take the digest form;
 *     {@link #ALWAYS_DIGEST} where ids are no creation times
 * @param ulids whether 26 characters of Crockford's base 32 are a ULID. A quarter of all random texts of that length and
 *     alphabet look like one, so that this is declared and never guessed
 */
public record KeyScheme(long digestBelow, boolean ulids) {
    /** A {@code digestBelow} that no id reaches: every key takes the digest form. */
    public static final long ALWAYS_DIGEST = Long.MAX_VALUE;

    /** 2010-01-01T00:00:00Z: no id was created earlier. */
    static final long EARLIEST = 1_262_304_000_000L;

    /** 2100-01-01T00:00:00Z: no id is created later. */
    static final long LATEST = 4_102_444_800_000L;

    /** To look for one among the platform's providers costs more than a digest. */
    private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(KeyScheme::sha256);

    /** Stands where an id's length would, so that an origin and an id never have the same digest. */
    private static final int ORIGIN_MARK = -1;

    /**
     * The key of a message that has an id.
     *
     * @param source the logical name of where it came from
     * @param id its id
     * @return the same key for the same arguments, for ever
     */
    public MessageKey keyOf(String source, MessageId id) {
        Objects.requireNonNull(id, "the id");
        byte[] digest = digest(source, id.length(), id.bytes());
        long created = TimeOrderedId.epochMillis(id.bytes(), ulids);
        if (created >= EARLIEST && created < LATEST && created >= digestBelow) {
            ByteBuffer buffer = ByteBuffer.allocate(16);
            buffer.putShort((short) (created >>> 32)).putInt((int) created).put(digest, 0, 10);
            return MessageKey.of(buffer.array());
        }
        return digestForm(digest);
    }

    /**
     * The key in digest form of a message that has an id, whatever the id says of its time. An inbox knows messages by it whose
     * ids only look as if they held one, because that time lies too far ahead.
     *
     * @param source the logical name of where it came from
     * @param id its id
     * @return the same key for the same arguments, for ever
     */
    public static MessageKey digestKeyOf(String source, MessageId id) {
        Objects.requireNonNull(id, "the id");
        return digestForm(digest(source, id.length(), id.bytes()));
    }

    /**
     * The key of a message without a usable id, from where the broker keeps it and what it says. Only dead letters have it:
     * it distinguishes one delivery of such a message from the next, and is no identity of the message. The payload takes part
     * because a place is used again: a topic that is made anew begins at the same offsets.
     *
     * @param source the logical name of where it came from
     * @param origin what the broker calls this place, such as topic, partition and offset
     * @param payload the message's bytes
     * @return a key in digest form that no message with an id has
     */
    public static MessageKey keyOfOrigin(String source, String origin, byte[] payload) {
        Objects.requireNonNull(payload, "the payload");
        byte[] place = Utf8.replacing(Objects.requireNonNull(origin, "the origin"));
        ByteBuffer both = ByteBuffer.allocate(4 + place.length + payload.length);
        both.putInt(place.length).put(place).put(payload);
        return digestForm(digest(source, ORIGIN_MARK, both.array()));
    }

    private static MessageKey digestForm(byte[] digest) {
        ByteBuffer buffer = ByteBuffer.allocate(16);
        buffer.put((byte) 0xFF).put(digest, 0, 15);
        return MessageKey.of(buffer.array());
    }

    private static byte[] digest(String source, int mark, byte[] bytes) {
        byte[] name = Utf8.bytes("the source", source);
        ByteBuffer all = ByteBuffer.allocate(8 + name.length + bytes.length);
        all.putInt(name.length).put(name).putInt(mark).put(bytes);
        MessageDigest sha256 = SHA256.get();
        // Whatever ended the last one, memory that ran out too.
        sha256.reset();
        return sha256.digest(all.array());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", e);
        }
    }
}
