package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DaysOnUseTest {
    @Test
    void daysAreCreatedAfterAMinuteWhereNoThreadCouldBeStarted() {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger maintained = new AtomicInteger();
        AtomicBoolean isOutOfThreads = new AtomicBoolean(true);
        Executor threads = task -> {
            if (isOutOfThreads.get()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        };
        DaysOnUse days = new DaysOnUse(maintained::incrementAndGet, nanos::get, threads);
        nanos.addAndGet(Duration.ofHours(1).toNanos());

        days.during();
        assertThat(maintained).hasValue(0);
        isOutOfThreads.set(false);
        days.during();
        assertThat(maintained).as("before a minute is over").hasValue(0);
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        days.during();
        assertThat(maintained).hasValue(1);
    }
}
