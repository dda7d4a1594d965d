package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.jdbc.store.DaysOnUse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

    @Test
    void nobodyWaitsForTheThreadThatHangsWhileItCreatesDays() throws InterruptedException {
        Maintained maintained = new Maintained();
        maintained.nanos.addAndGet(Duration.ofHours(1).toNanos());
        CompletableFuture<Void> first = maintained.inBackground();
        maintained.begun.await();

        CompletableFuture<Void> second = maintained.inBackground();

        assertThat(second).succeedsWithin(Duration.ofSeconds(5));
        assertThat(first).isNotDone();
        maintained.end.countDown();
        first.join();
        assertThat(maintained.times).hasValue(1);
    }

    @Test
    void whoMayMeetADayThatIsMissingWaitsForItsCreation() throws InterruptedException {
        Maintained maintained = new Maintained();
        maintained.nanos.addAndGet(Duration.ofDays(1).toNanos());
        CompletableFuture<Void> first = maintained.inBackground();
        maintained.begun.await();

        CompletableFuture<Void> second = maintained.inBackground();

        assertThatThrownBy(() -> second.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        maintained.end.countDown();
        CompletableFuture.allOf(first, second).join();
        assertThat(maintained.times).hasValue(1);
    }

    /** A maintenance that goes on until it is told to end. */
    private static final class Maintained {
        final AtomicLong nanos = new AtomicLong();
        final AtomicInteger times = new AtomicInteger();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        private final DaysOnUse days = new DaysOnUse(this::run, nanos::get);

        private void run() {
            times.incrementAndGet();
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        CompletableFuture<Void> inBackground() {
            return CompletableFuture.runAsync(days::before, OwnThread.FOR_EACH);
        }
    }
}
