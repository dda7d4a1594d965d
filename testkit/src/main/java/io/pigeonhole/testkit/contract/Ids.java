package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.time.SystemTime;
import java.time.Instant;
import java.util.UUID;

/** Ids that no other test has. */
final class Ids {
    private static final int RANDOM_BITS_OF_FIRST_HALF = 0xFFF;

    private Ids() {}

    /** The time of this machine, which the ids of most producers are made of. */
    static Instant now() {
        return SystemTime.clock().instant();
    }

    /** A UUIDv7 of an instant. */
    static String timeOrdered(Instant created) {
        UUID random = UUID.randomUUID();
        long high =
                created.toEpochMilli() << 16 | 7L << 12 | (random.getMostSignificantBits() & RANDOM_BITS_OF_FIRST_HALF);
        return new UUID(high, random.getLeastSignificantBits()).toString();
    }

    /** An id that is no time. */
    static String opaque() {
        return "id-" + UUID.randomUUID();
    }
}
