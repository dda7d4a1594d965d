package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Utf8;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over parts, each preceded by its length in 4 bytes, so that no two lists of parts are the same bytes. Stored digests depend on
 * it: it never changes. Used by one thread.
 */
final class Digest {
    private static final int NONE = -1;

    private final MessageDigest sha256;

    Digest() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256; this one does not", e);
        }
    }

    /** A text, or that there is none. What has no bytes in UTF-8, as half of a surrogate pair, is refused. */
    Digest text(@Nullable String text) {
        return bytes(text == null ? null : Utf8.bytes("a part of a request's identity", text));
    }

    Digest bytes(byte @Nullable [] bytes) {
        sha256.update(ByteBuffer.allocate(4)
                .putInt(bytes == null ? NONE : bytes.length)
                .array());
        if (bytes != null) {
            sha256.update(bytes);
        }
        return this;
    }

    /** 32 bytes. */
    byte[] end() {
        return sha256.digest();
    }
}
