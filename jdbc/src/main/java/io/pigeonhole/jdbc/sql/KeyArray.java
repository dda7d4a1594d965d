package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Keys as the text of PostgreSQL's {@code uuid[]}, which every driver can carry. */
public final class KeyArray {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.ISO_8859_1);

    /** 32 hexadecimal digits and a comma; PostgreSQL reads a uuid without hyphens too. */
    private static final int CHARACTERS = 33;

    private KeyArray() {}

    public static String write(Collection<MessageKey> keys) {
        Text text = new Text(keys.size());
        keys.forEach(key -> text.add(key.high(), key.low()));
        return text.end();
    }

    public static String writeHashes(Collection<PayloadHash> hashes) {
        Text text = new Text(hashes.size());
        hashes.forEach(hash -> text.add(hash.high(), hash.low()));
        return text.end();
    }

    /** An array in the making. */
    private static final class Text {
        private final byte[] bytes;
        private int length;

        Text(int elements) {
            bytes = new byte[2 + elements * CHARACTERS];
            bytes[length++] = '{';
        }

        void add(long high, long low) {
            if (length > 1) {
                bytes[length++] = ',';
            }
            addDigits(high);
            addDigits(low);
        }

        private void addDigits(long bits) {
            for (int shift = Long.SIZE - 4; shift >= 0; shift -= 4) {
                bytes[length++] = DIGITS[(int) (bits >>> shift) & 0xF];
            }
        }

        String end() {
            bytes[length++] = '}';
            return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        }
    }

    /** What {@code array_agg} answers: null where there was nothing. */
    public static Set<MessageKey> read(@Nullable String text) {
        if (text == null) {
            return Set.of();
        }
        Set<MessageKey> keys = new HashSet<>(text.length() / CHARACTERS * 2);
        int begin = 1;
        while (begin < text.length() - 1) {
            int comma = text.indexOf(',', begin);
            int end = comma < 0 ? text.length() - 1 : comma;
            keys.add(parse(text, begin));
            begin = end + 1;
        }
        return keys;
    }

    /** {@code 8-4-4-4-12} digits from an offset. */
    private static MessageKey parse(String text, int at) {
        long high = HexFormat.fromHexDigitsToLong(text, at, at + 8) << 32
                | HexFormat.fromHexDigitsToLong(text, at + 9, at + 13) << 16
                | HexFormat.fromHexDigitsToLong(text, at + 14, at + 18);
        long low = HexFormat.fromHexDigitsToLong(text, at + 19, at + 23) << 48
                | HexFormat.fromHexDigitsToLong(text, at + 24, at + 36);
        return new MessageKey(high, low);
    }
}
