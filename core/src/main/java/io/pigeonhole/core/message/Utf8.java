package io.pigeonhole.core.message;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Texts as bytes. Half of a surrogate pair has none: {@code String.getBytes} makes it a question mark, which is another
 * text. Names and identities are refused then, because two of them would become one; texts for people get U+FFFD in its place.
 */
public final class Utf8 {
    private static final String REPLACEMENT = "\uFFFD";

    private Utf8() {}

    /**
     * The bytes of a text that must be kept as it is.
     *
     * @param what what the text is, for the exception, such as {@code "the source"}
     * @param text the text
     * @return its bytes in UTF-8
     * @throws IllegalArgumentException if the text holds half of a surrogate pair; says at which character
     */
    public static byte[] bytes(String what, String text) {
        return require(what, text).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The text itself, for what must be kept as it is.
     *
     * @param what what the text is, for the exception
     * @param text the text
     * @return the same text
     * @throws IllegalArgumentException if the text holds half of a surrogate pair
     */
    public static String require(String what, String text) {
        int half = firstHalf(Objects.requireNonNull(text, what));
        if (half < text.length()) {
            throw new IllegalArgumentException(what + ", a text of " + text.length()
                    + " characters, holds half of a surrogate pair at character " + (half + 1)
                    + ", which has no bytes: pass a text that was not cut within a character");
        }
        return text;
    }

    /**
     * The bytes of a text for people, with U+FFFD for each half of a surrogate pair.
     *
     * @param text the text
     * @return its bytes in UTF-8
     */
    public static byte[] replacing(String text) {
        try {
            return array(StandardCharsets.UTF_8
                    .newEncoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .replaceWith(REPLACEMENT.getBytes(StandardCharsets.UTF_8))
                    .encode(CharBuffer.wrap(text)));
        } catch (CharacterCodingException e) {
            throw new IllegalStateException("UTF-8 has bytes for every text whose halves are replaced", e);
        }
    }

    private static byte[] array(ByteBuffer encoded) {
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    /** The index of the first half of a pair without the other; the length where there is none. */
    private static int firstHalf(String text) {
        int at = 0;
        while (at < text.length()) {
            int codePoint = text.codePointAt(at);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                return at;
            }
            at += Character.charCount(codePoint);
        }
        return at;
    }
}
