package io.pigeonhole.core.outbox;

import io.pigeonhole.core.time.SystemTime;
import java.security.SecureRandom;
import java.util.UUID;

/** Makes ids for messages to send. Safe for use by many threads. */
public final class MessageIds {
    private static final SecureRandom RANDOM = new SecureRandom();

    private MessageIds() {}

    /**
     * A new id: a UUIDv7 of RFC 9562, the time of this machine's clock in milliseconds and 74 random bits. Ids of one millisecond have no
     * order among each other; nothing here takes the order of messages from their ids.
     *
     * @return another one each time
     */
    public static UUID next() {
        return of(SystemTime.clock().millis(), RANDOM.nextLong(), RANDOM.nextInt());
    }

    static UUID of(long epochMillis, long low, int high) {
        long time = epochMillis << 16 | 0x7000L | (high & 0xFFFL);
        return new UUID(time, low >>> 2 | Long.MIN_VALUE);
    }
}
