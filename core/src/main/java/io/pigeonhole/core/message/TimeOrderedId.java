package io.pigeonhole.core.message;

import java.util.HexFormat;

/** Reads the creation time out of the text of a UUIDv7 or a ULID. */
final class TimeOrderedId {
    static final long NONE = -1;
    private static final int UUID_LENGTH = 36;
    private static final int ULID_LENGTH = 26;
    private static final int ULID_TIME_LENGTH = 10;
    private static final byte[] DIGITS = digits();
    private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    private TimeOrderedId() {}

    /** Milliseconds since 1970, or {@link #NONE} where the id is neither. */
    static long epochMillis(byte[] id, boolean ulids) {
        if (id.length == UUID_LENGTH) {
            return ofUuid(id);
        }
        return ulids && id.length == ULID_LENGTH ? ofUlid(id) : NONE;
    }

    /** RFC 9562: {@code tttttttt-tttt-7rrr-[89ab]rrr-rrrrrrrrrrrr}. */
    private static long ofUuid(byte[] id) {
        if (id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-') {
            return NONE;
        }
        long first = digits(id, 0, 8);
        long second = digits(id, 9, 13);
        boolean isVersion7 = digits(id, 14, 18) >>> 12 == 7 && digits(id, 19, 23) >>> 14 == 0b10;
        return isVersion7 && first != NONE && second != NONE && digits(id, 24, UUID_LENGTH) != NONE
                ? first << 16 | second
                : NONE;
    }

    /** The value of at most 15 digits, or {@link #NONE}. Every message's id is looked at, so that nothing is decided for each digit. */
    private static long digits(byte[] id, int from, int to) {
        long value = 0;
        int all = 0;
        for (int i = from; i < to; i++) {
            int digit = DIGITS[id[i] & 0xFF];
            all |= digit;
            value = value << 4 | digit;
        }
        return all < 0 ? NONE : value;
    }

    /** Of each byte the value as a hexadecimal digit, or -1. */
    private static byte[] digits() {
        byte[] values = new byte[256];
        for (int b = 0; b < values.length; b++) {
            values[b] = (byte) (HexFormat.isHexDigit(b) ? HexFormat.fromHexDigit(b) : -1);
        }
        return values;
    }

    /** The ULID specification: 10 characters of time, 16 of randomness, the first at most 7; either case. */
    private static long ofUlid(byte[] id) {
        long millis = 0;
        for (int i = 0; i < ULID_LENGTH; i++) {
            int digit = CROCKFORD.indexOf(Character.toUpperCase((char) (id[i] & 0xFF)));
            if (digit < 0 || (i == 0 && digit > 7)) {
                return NONE;
            }
            if (i < ULID_TIME_LENGTH) {
                millis = millis << 5 | digit;
            }
        }
        return millis;
    }
}
