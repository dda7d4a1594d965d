package io.pigeonhole.core.handler;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.Utf8;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Derives the keys that {@link HandlerContext#idempotencyKey} hands out, so that every store derives the same ones. Another
 * system remembers them: the derivation never changes.
 */
public final class IdempotencyKey {
    private static final int BYTES = 16;

    private IdempotencyKey() {}

    /**
     * The first 128 bits of the SHA-256 over the consumer's name, the message's key and the step, each preceded by its
     * length in 4 bytes.
     *
     * @param consumer the logical name of the consumer
     * @param key the message's key
     * @param step which of the handler's foreign calls it is for
     * @return 32 hexadecimal digits in lower case
     * @throws IllegalArgumentException if the name or the step holds half of a surrogate pair: two steps would become one
     */
    public static String of(String consumer, MessageKey key, String step) {
        MessageDigest digest = sha256();
        update(digest, Utf8.bytes("the consumer's name", consumer));
        update(digest, key.toBytes());
        update(digest, Utf8.bytes("the step", step));
        return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    }

    private static void update(MessageDigest digest, byte[] part) {
        digest.update(ByteBuffer.allocate(4).putInt(part.length).array());
        digest.update(part);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", e);
        }
    }
}
