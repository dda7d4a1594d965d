package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.time.SystemTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;

/** The clock of this machine, moved forward. */
final class MovedClock extends Clock {
    private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

    void advance(Duration duration) {
        ahead.updateAndGet(before -> before.plus(duration));
    }

    @Override
    public Instant instant() {
        return SystemTime.clock().instant().plus(ahead.get());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
