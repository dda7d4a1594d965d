package io.pigeonhole.benchmarks.load;

import java.time.Clock;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

/** What producers take for message ids. */
public enum UuidVersion {
    /** Random UUIDs. */
    V4("random (UUIDv4)"),
    /** UUIDs that begin with their time. */
    V7("time-ordered (UUIDv7)");

    private static final long VERSION = 0xF000L;
    private static final long VERSION_4 = 0x4000L;
    private static final long VARIANT = 0xC000_0000_0000_0000L;
    private static final long VARIANT_OF_RFC = 0x8000_0000_0000_0000L;

    private final String label;

    UuidVersion(String label) {
        this.label = label;
    }

    /** How reports describe such ids. */
    public String label() {
        return label;
    }

    /**
     * A producer of ids.
     *
     * @param clock the time of the first id, where ids have a time
     * @param random for what is not time
     */
    public Supplier<String> producer(Clock clock, Random random) {
        return switch (this) {
            case V4 -> () -> random(random).toString();
            case V7 -> new TimeOrderedIds(clock.millis(), random)::next;
        };
    }

    /** Faster than {@link UUID#randomUUID}. With another version it could be taken for a time. */
    private static UUID random(Random random) {
        return new UUID((random.nextLong() & ~VERSION) | VERSION_4, (random.nextLong() & ~VARIANT) | VARIANT_OF_RFC);
    }
}
