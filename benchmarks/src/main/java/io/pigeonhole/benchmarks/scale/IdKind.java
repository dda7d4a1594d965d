package io.pigeonhole.benchmarks.scale;

import io.pigeonhole.benchmarks.load.UuidVersion;
import io.pigeonhole.core.time.SystemTime;
import java.util.Random;
import java.util.function.Supplier;

/** What producers take for ids. */
enum IdKind {
    /** UUIDv7s, which become keys that begin with their time. */
    TIME_ORDERED("time-ordered"),
    /** UUIDv4s, which become keys in digest form. */
    RANDOM_UUID("random-uuid"),
    /** Such as the numbers of orders; they become keys in digest form too. */
    TEXT("text");

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
            case TIME_ORDERED -> UuidVersion.V7.producer(SystemTime.clock(), random);
            case RANDOM_UUID -> UuidVersion.V4.producer(SystemTime.clock(), random);
            case TEXT -> () -> "order-" + Long.toUnsignedString(random.nextLong()) + "/payment-requested";
        };
    }
}
