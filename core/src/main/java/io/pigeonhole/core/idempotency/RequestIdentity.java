package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.MessageKey;
import java.nio.ByteBuffer;

/**
 * What makes two requests the same one: the operation, the scope and the idempotency key.
 *
 * @param operation the name of what is done, such as {@code POST /payments}; the same at every node and in every version of the
 *     application, from 1 to {@value #LONGEST_OPERATION} characters
 * @param scope whose key it is
 * @param key the idempotency key that the client has chosen, from 1 to {@value #LONGEST_KEY} characters
 */
public record RequestIdentity(String operation, RequestScope scope, String key) {
    /** The longest name of an operation. */
    public static final int LONGEST_OPERATION = 200;

    /** The longest idempotency key. */
    public static final int LONGEST_KEY = 255;

    /** Checks the lengths. */
    public RequestIdentity {
        require("an operation", operation, LONGEST_OPERATION);
        require("an idempotency key", key, LONGEST_KEY);
    }

    private static void require(String what, String text, int longest) {
        if (text.isBlank() || text.length() > longest || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    what + " needs 1 to " + longest + " characters without NUL, not one of " + text.length());
        }
    }

    /**
     * The key under which the store keeps the request: the first 120 bits of a SHA-256 over operation, scope and idempotency key.
     *
     * @return a key in digest form, the same for ever
     */
    public MessageKey storageKey() {
        byte[] digest =
                new Digest().text(operation).bytes(scope.hash()).text(key).end();
        return MessageKey.of(
                ByteBuffer.allocate(16).put((byte) 0xFF).put(digest, 0, 15).array());
    }
}
