package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;

/**
 * What a message says: add this amount to that account.
 *
 * @param number the payment's own number
 * @param account the account
 * @param amount the amount
 */
record Payment(long number, int account, long amount) {
    private static final int PAYLOAD_BYTES = 300;

    /** The payload: JSON, padded to 300 bytes with a text that no handler reads. */
    byte[] toJson() {
        String head =
                "{\"payment\":" + number + ",\"account\":" + account + ",\"amount\":" + amount + ",\"purpose\":\"";
        String purpose = "rent and other things ".repeat(PAYLOAD_BYTES).substring(0, PAYLOAD_BYTES - head.length() - 2);
        return (head + purpose + "\"}").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads the three numbers, the first three in the payload. All variants read it in this way, so that no library's
     * speed at JSON takes part.
     */
    static Payment of(Message message) {
        byte[] json = message.payload();
        long[] numbers = new long[3];
        int position = 0;
        for (int i = 0; i < numbers.length; i++) {
            while (!isDigit(json[position])) {
                position++;
            }
            for (; isDigit(json[position]); position++) {
                numbers[i] = numbers[i] * 10 + json[position] - '0';
            }
        }
        return new Payment(numbers[0], Math.toIntExact(numbers[1]), numbers[2]);
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }
}
