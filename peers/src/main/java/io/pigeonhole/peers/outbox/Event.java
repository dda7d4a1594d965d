package io.pigeonhole.peers.outbox;

import java.util.Locale;

/**
 * An event: 256 bytes that begin with its number, and one of a thousand keys.
 *
 * @param number from 0 on
 */
record Event(int number) {
    static final int KEYS = 1_000;
    static final int BYTES = 256;
    private static final int DIGITS = 12;
    private static final String REST = "x".repeat(BYTES - DIGITS);

    String key() {
        return "account-" + account();
    }

    int account() {
        return number % KEYS;
    }

    String payload() {
        return String.format(Locale.ROOT, "%012d", number) + REST;
    }

    /** The number of the event with this payload. */
    static int numberOf(byte[] payload) {
        int number = 0;
        for (int i = 0; i < DIGITS; i++) {
            number = number * 10 + payload[i] - '0';
        }
        return number;
    }

    static int numberOf(String payload) {
        return Integer.parseInt(payload, 0, DIGITS, 10);
    }
}
