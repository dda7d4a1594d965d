package io.pigeonhole.benchmarks.load;

import java.util.Random;
import java.util.UUID;

/** UUIDv7s as a producer makes them that sends 50 messages in each millisecond. Not safe for use by many threads. */
public final class TimeOrderedIds {
    private static final int PER_MILLISECOND = 50;
    private static final long VERSION_7 = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final int TIME_SHIFT = 16;
    private static final long TWELVE_BITS = 0xFFFL;
    private static final long SIXTY_TWO_BITS = 0x3FFF_FFFF_FFFF_FFFFL;

    private final long firstMillis;
    private final Random random;
    private int made;

    /**
     * A producer.
     *
     * @param firstMillis the time of its first id, in milliseconds since 1970
     * @param random for what is not time
     */
    public TimeOrderedIds(long firstMillis, Random random) {
        this.firstMillis = firstMillis;
        this.random = random;
    }

    /** The next id. */
    public String next() {
        long millis = firstMillis + made++ / PER_MILLISECOND;
        long high = millis << TIME_SHIFT | VERSION_7 | (random.nextLong() & TWELVE_BITS);
        long low = VARIANT | (random.nextLong() & SIXTY_TWO_BITS);
        return new UUID(high, low).toString();
    }
}
