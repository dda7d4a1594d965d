package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Keys as the text of PostgreSQL's {@code uuid[]}, which every driver can carry. */
final class KeyArray {
    private static final HexFormat HEX = HexFormat.of();

    /** 32 hexadecimal digits and a comma; PostgreSQL reads a uuid without hyphens too. */
    private static final int CHARACTERS = 33;

    private KeyArray() {}

    static String write(Collection<MessageKey> keys) {
        StringBuilder text = new StringBuilder(keys.size() * CHARACTERS + 1);
        for (MessageKey key : keys) {
            text.append(text.isEmpty() ? '{' : ',');
            text.append(HEX.toHexDigits(key.high())).append(HEX.toHexDigits(key.low()));
        }
        return text.append('}').toString();
    }

    static String writeHashes(Collection<PayloadHash> hashes) {
        StringBuilder text = new StringBuilder(hashes.size() * CHARACTERS + 2).append('{');
        for (PayloadHash hash : hashes) {
            text.append(text.length() == 1 ? "" : ",");
            text.append(HEX.toHexDigits(hash.high())).append(HEX.toHexDigits(hash.low()));
        }
        return text.append('}').toString();
    }

    /** What {@code array_agg} answers: null where there was nothing. */
    static Set<MessageKey> read(@Nullable String text) {
        if (text == null) {
            return Set.of();
        }
        Set<MessageKey> keys = new HashSet<>();
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
