package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.jdbc.transaction.PendingRepair;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PendingRepairTest {
    private static final String CHECK_VIOLATION = "23514";

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicReference<@Nullable String> obstacle = new AtomicReference<>();
    private final PendingRepair days = new PendingRepair("there is no day", obstacle::get, nanos::get);

    /** When a transaction begins, which creates the days if some were missed. */
    private long begin() {
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        days.repairWhereSuspected();
        return days.now();
    }

    private RuntimeException refusal() {
        return days.refusal("to write", new SQLException("no day", CHECK_VIOLATION));
    }

    @Test
    void messageThatIsRefusedOnceTheDaysAreThereIsRefusedForItself() {
        assertThat(days.isSuspected(begin())).isTrue();
        assertThat(days.isSuspected(begin())).isFalse();
    }

    @Test
    void noMessageIsBlamedForADayThatCannotBeCreated() {
        obstacle.set("rename the table");
        long before = begin();
        long first = begin();
        assertThat(days.isSuspected(first)).isTrue();
        long second = begin();
        for (long begun : new long[] {before, first, second}) {
            assertThat(days.isSuspected(begun)).isTrue();
        }
        assertThat(refusal()).isInstanceOf(StoreUnavailableException.class).hasMessage("rename the table");

        obstacle.set(null);
        assertThat(days.isSuspected(begin())).isFalse();
    }

    @Test
    @Tag("D-missing-days")
    void whoeverWaitsForTheRepairOfAnotherDoesNotWaitWithoutEnd() throws InterruptedException {
        try (HangingRepair hanging = new HangingRepair(1)) {
            assertThat(hanging.isSuspected()).isTrue();
            hanging.begin();

            assertThatThrownBy(hanging.repair::repairWhereSuspected)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("there is no day, and another thread has not repaired it");

            hanging.finish();
            assertThat(hanging.isSuspected()).isFalse();
        }
    }

    @Test
    @Tag("D1")
    void whoeverWasNotRefusedGoesOnWhileAnotherThreadRepairs() throws InterruptedException {
        try (HangingRepair hanging = new HangingRepair(1)) {
            hanging.begin();

            assertThatCode(hanging.repair::repairWhereSuspected).doesNotThrowAnyException();
        }
    }

    @Test
    @Tag("D1")
    void repairThatFailsForNowFailsNobodyAndIsTriedAgainAfterAWhile() {
        AtomicInteger tries = new AtomicInteger();
        AtomicBoolean locked = new AtomicBoolean(true);
        PendingRepair numbers = failingWhile(locked, tries);
        for (int i = 0; i < 3; i++) {
            assertThat(numbers.isSuspected(numbers.now())).isTrue();
            assertThatCode(numbers::repairWhereSuspected).doesNotThrowAnyException();
        }
        assertThat(tries).hasValue(1);
        assertThat(numbers.refusal("to write", new SQLException("taken", "23505")))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("a number is taken, and could not be repaired yet: others write to the table");

        locked.set(false);
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        assertThat(numbers.isSuspected(numbers.now())).isTrue();
        numbers.repairWhereSuspected();
        assertThat(tries).hasValue(2);
        assertThat(numbers.isSuspected(numbers.now())).isFalse();
    }

    @Test
    @Tag("D1")
    void threadsThatLiveForOneMessageRepairOnceTheRestIsOver() throws InterruptedException {
        AtomicInteger tries = new AtomicInteger();
        AtomicBoolean locked = new AtomicBoolean(true);
        PendingRepair numbers = failingWhile(locked, tries);
        assertThat(resultOfAThread(() -> processed(numbers))).isInstanceOf(StoreUnavailableException.class);
        assertThat(tries).hasValue(1);

        locked.set(false);
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());

        assertThat(resultOfAThread(() -> processed(numbers))).isNull();
        assertThat(tries).hasValue(2);
    }

    @Test
    @Tag("D1")
    void obstacleOfLongAgoIsNotToldAsIfItWerePresent() {
        obstacle.set("rename the table");
        assertThat(days.isSuspected(begin())).isTrue();
        begin();
        assertThat(refusal()).hasMessage("rename the table");

        nanos.addAndGet(Duration.ofMinutes(10).toNanos());

        assertThat(refusal())
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.RETRY_NOW));
    }

    @Test
    @Tag("D1")
    void whoeverWasRefusedDuringTheRepairOfAnotherWaitsForNoLaterOne() throws InterruptedException {
        try (HangingRepair second = new HangingRepair(2)) {
            assertThat(second.isSuspected()).isTrue();
            resultOfAThread(() -> {
                second.refusedAndRepairing();
                return null;
            });
            second.repair.repairWhereSuspected();
            nanos.addAndGet(Duration.ofMinutes(2).toNanos());
            second.begin();

            assertThatCode(second.repair::repairWhereSuspected).doesNotThrowAnyException();
        }
    }

    private PendingRepair failingWhile(AtomicBoolean locked, AtomicInteger tries) {
        return new PendingRepair(
                "a number is taken",
                () -> {
                    tries.incrementAndGet();
                    if (locked.get()) {
                        throw new StoreException(ErrorClass.RETRY_NOW, "others write to the table", null);
                    }
                    return null;
                },
                nanos::get);
    }

    /** A message that is refused as long as nothing is repaired, and tried again at once where it may be. */
    private static @Nullable RuntimeException processed(PendingRepair repair) {
        for (int i = 0; i < 3; i++) {
            repair.repairWhereSuspected();
            if (!repair.isSuspected(repair.now())) {
                return null;
            }
            RuntimeException refused = repair.refusal("to write", new SQLException("taken", "23505"));
            if (refused instanceof StoreUnavailableException) {
                return refused;
            }
        }
        throw new AssertionError("it was told to try again each time");
    }

    private static @Nullable RuntimeException resultOfAThread(Supplier<@Nullable RuntimeException> work)
            throws InterruptedException {
        AtomicReference<@Nullable RuntimeException> result = new AtomicReference<>();
        Thread thread = new Thread(() -> result.set(work.get()));
        thread.start();
        thread.join();
        return result.get();
    }

    /** A repair that hangs the nth time, until it is closed. */
    private final class HangingRepair implements AutoCloseable {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final AtomicInteger repairs = new AtomicInteger();
        private final Thread repairing = new Thread(this::refusedAndRepairing);
        private final int nth;
        private final PendingRepair repair =
                new PendingRepair("there is no day", this::hang, nanos::get, Duration.ofMillis(20));

        HangingRepair(int nth) {
            this.nth = nth;
        }

        private @Nullable String hang() {
            if (repairs.incrementAndGet() == nth) {
                begun.countDown();
                awaitUninterruptibly(end);
            }
            return null;
        }

        boolean isSuspected() {
            return repair.isSuspected(repair.now());
        }

        void refusedAndRepairing() {
            isSuspected();
            repair.repairWhereSuspected();
        }

        /** Another thread is refused, and hangs in the repair. */
        void begin() throws InterruptedException {
            repairing.start();
            begun.await();
        }

        @Override
        public void close() {
            finish();
        }

        void finish() {
            end.countDown();
            try {
                repairing.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
