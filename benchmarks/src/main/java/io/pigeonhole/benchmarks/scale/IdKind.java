package io.pigeonhole.benchmarks.scale;

import io.pigeonhole.benchmarks.load.TimeOrderedIds;
import io.pigeonhole.core.time.SystemTime;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

/** What producers take for ids. */
enum IdKind {
    /** UUIDv7s, which become keys that begin with their time. */
    TIME_ORDERED("time-ordered"),
    /** UUIDv4s, which become keys in digest form. */
    RANDOM_UUID("random-uuid"),
    /** Such as the numbers of orders; they become keys in digest form too. */
    TEXT("text");

    private static final long VERSION = 0xF000L;
    private static final long VERSION_4 = 0x4000L;
    private static final long VARIANT = 0xC000_0000_0000_0000L;
    private static final long VARIANT_OF_RFC = 0x8000_0000_0000_0000L;

    private final String label;

    IdKind(String label) {
        this.label = label;
    }

    /** The name that stands in reports. */
    String label() {
        return label;
    }

    /** Ids that nobody made before. */
    Supplier<String> producer(Random random) {
        return switch (this) {
            case TIME_ORDERED -> {
                TimeOrderedIds ids = new TimeOrderedIds(SystemTime.clock().millis(), random);
                yield ids::next;
            }
            case RANDOM_UUID -> () -> uuidV4(random).toString();
            case TEXT -> () -> "order-" + Long.toUnsignedString(random.nextLong()) + "/payment-requested";
        };
    }

    /** Faster than {@link UUID#randomUUID}. With another version it could be taken for a time. */
    private static UUID uuidV4(Random random) {
        return new UUID((random.nextLong() & ~VERSION) | VERSION_4, (random.nextLong() & ~VARIANT) | VARIANT_OF_RFC);
    }
}
