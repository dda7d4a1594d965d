package io.pigeonhole.core.message;

/** Reads the creation time out of the text of a UUIDv7 or a ULID. */
final class TimeOrderedId {
    static final long NONE = -1;
    private static final int UUID_LENGTH = 36;
    private static final int ULID_LENGTH = 26;
    private static final int ULID_TIME_LENGTH = 10;
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
        long millis = 0;
        for (int i = 0; i < UUID_LENGTH; i++) {
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash) {
                if (id[i] != '-') {
                    return NONE;
                }
                continue;
            }
            int digit = hexDigit(id[i]);
            if (digit < 0 || (i == 14 && digit != 7) || (i == 19 && digit >>> 2 != 0b10)) {
                return NONE;
            }
            if (i < 13) {
                millis = millis << 4 | digit;
            }
        }
        return millis;
    }

    /** The digit's value or -1; {@link Character#digit} knows all scripts and costs more than the rest of the check. */
    private static int hexDigit(byte b) {
        if (b >= '0' && b <= '9') {
            return b - '0';
        }
        int lower = b | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
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
