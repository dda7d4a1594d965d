package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.store.StoreException;
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
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        PendingRepair hanging = new PendingRepair(
                "there is no day",
                () -> {
                    begun.countDown();
                    awaitUninterruptibly(end);
                    return null;
                },
                nanos::get,
                Duration.ofMillis(20));
        assertThat(hanging.isSuspected(hanging.now())).isTrue();
        Thread repairing = new Thread(() -> {
            hanging.isSuspected(hanging.now());
            hanging.repairWhereSuspected();
        });
        repairing.start();
        begun.await();

        assertThatThrownBy(hanging::repairWhereSuspected)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("there is no day, and another thread has not repaired it");

        end.countDown();
        repairing.join();
        assertThat(hanging.isSuspected(hanging.now())).isFalse();
    }

    @Test
    @Tag("D1")
    void whoeverWasNotRefusedGoesOnWhileAnotherThreadRepairs() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        PendingRepair hanging = new PendingRepair(
                "there is no day",
                () -> {
                    begun.countDown();
                    awaitUninterruptibly(end);
                    return null;
                },
                nanos::get,
                Duration.ofMillis(20));
        Thread repairing = new Thread(() -> {
            hanging.isSuspected(hanging.now());
            hanging.repairWhereSuspected();
        });
        repairing.start();
        begun.await();

        assertThatCode(hanging::repairWhereSuspected).doesNotThrowAnyException();

        end.countDown();
        repairing.join();
    }

    @Test
    @Tag("D1")
    void repairThatFailsForNowFailsNobodyAndIsTriedAgainAfterAWhile() {
        AtomicInteger tries = new AtomicInteger();
        AtomicBoolean locked = new AtomicBoolean(true);
        PendingRepair numbers = new PendingRepair(
                "a number is taken",
                () -> {
                    tries.incrementAndGet();
                    if (locked.get()) {
                        throw new StoreException(ErrorClass.RETRY_NOW, "others write to the table", null);
                    }
                    return null;
                },
                nanos::get);
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
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger repairs = new AtomicInteger();
        PendingRepair second = new PendingRepair(
                "there is no day",
                () -> {
                    if (repairs.incrementAndGet() == 2) {
                        begun.countDown();
                        awaitUninterruptibly(end);
                    }
                    return null;
                },
                nanos::get,
                Duration.ofMillis(20));
        assertThat(second.isSuspected(second.now())).isTrue();
        Runnable refusedAndRepairing = () -> {
            second.isSuspected(second.now());
            second.repairWhereSuspected();
        };
        resultOfAThread(() -> {
            refusedAndRepairing.run();
            return null;
        });
        second.repairWhereSuspected();
        nanos.addAndGet(Duration.ofMinutes(2).toNanos());
        Thread repairing = new Thread(refusedAndRepairing);
        repairing.start();
        begun.await();

        assertThatCode(second::repairWhereSuspected).doesNotThrowAnyException();

        end.countDown();
        repairing.join();
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

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
