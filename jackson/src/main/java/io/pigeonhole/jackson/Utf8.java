package io.pigeonhole.jackson;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** JSON that systems exchange is in UTF-8 (RFC 8259). No other encoding is guessed, and no malformed character passes. */
final class Utf8 {
    private static final char REPLACEMENT = '\uFFFD';
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private Utf8() {}

    /**
     * The text of bytes.
     *
     * @throws IllegalArgumentException if they are not well-formed UTF-8, or begin with a byte order mark
     */
    static String decode(byte[] bytes) {
        // The fast way, which replaces what is malformed; what was sent may hold that character, too.
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) {
            requireWellFormed(bytes);
        }
        if (!text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK) {
            throw new IllegalArgumentException("the document begins with a byte order mark; JSON is UTF-8 without one");
        }
        return text;
    }

    private static void requireWellFormed(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, CharBuffer.allocate(bytes.length), true);
        if (result.isError()) {
            throw new IllegalArgumentException(
                    "the document is not well-formed UTF-8: the bytes from " + in.position() + " on are no character");
        }
    }
}
