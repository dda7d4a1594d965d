package io.pigeonhole.examples.demo;

import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The message ids: UUIDv7, made when a payment is sent for the first time. Their last 32 bits are the payment's number, so
 * that the audit can find it again. For one thread; visible to another after joining that one.
 */
final class PaymentIds {
    private static final int TIME_SHIFT = 16;
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final long NUMBER = 0xFFFF_FFFFL;

    private final @Nullable UUID[] ids;
    private final SplittableRandom random;

    PaymentIds(int payments, long seed) {
        this.ids = new UUID[payments];
        this.random = new SplittableRandom(seed);
    }

    UUID of(int payment) {
        UUID id = ids[payment];
        if (id == null) {
            long time = System.currentTimeMillis() << TIME_SHIFT;
            id = new UUID(
                    time | VERSION | random.nextInt(1 << 12), VARIANT | random.nextLong(1L << 29) << 32 | payment);
            ids[payment] = id;
        }
        return id;
    }

    /** The payment that was sent with this id, or -1 if none was. */
    int paymentOf(String id) {
        try {
            UUID uuid = UUID.fromString(id);
            long number = uuid.getLeastSignificantBits() & NUMBER;
            return number < ids.length && uuid.equals(ids[(int) number]) ? (int) number : -1;
        } catch (IllegalArgumentException e) {
            return -1;
        }
    }
}
