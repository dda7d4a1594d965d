package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What looks like processes that die at their first batch, and is not. */
abstract class CrashLoopTests<C extends HandlerContext> extends FlowLab<C> {
    private static final int NODES = 6;
    private static final int LIMIT = 2;

    CrashLoopTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private Inbox<C> node() {
        return flow().workPartitions(1).crashLimit(LIMIT).build();
    }

    /** Each has seen those before it begin when the last of them is the first that gets to work. */
    @Tag("C1")
    @Test
    void nodesThatStartTogetherOnABacklogAreNoCrashLoop() throws InterruptedException {
        node().receive(messages(20));
        Semaphore looked = new Semaphore(0);
        Map<Thread, CountDownLatch> toWork = new ConcurrentHashMap<>();
        Map<Thread, Integer> entries = new ConcurrentHashMap<>();
        plan.always(CrashPoint.BEFORE_ENTER, () -> {
            if (entries.merge(Thread.currentThread(), 1, Integer::sum) == 2) {
                looked.release();
                awaitQuietly(Objects.requireNonNull(toWork.get(Thread.currentThread())));
            }
        });
        List<Future<Integer>> nodes = new ArrayList<>();
        List<CountDownLatch> gates = new ArrayList<>();
        for (int number = 0; number < NODES; number++) {
            Inbox<C> node = node();
            CountDownLatch gate = new CountDownLatch(1);
            gates.add(gate);
            nodes.add(threads.start(() -> {
                toWork.put(Thread.currentThread(), gate);
                int done = node.work();
                looked.release();
                return done;
            }));
            assertThat(looked.tryAcquire(Threads.LONGEST_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
        for (int number = NODES - 1; number >= 0; number--) {
            gates.get(number).countDown();
            assertThat(Threads.result(nodes.get(number))).isBetween(0, 20);
        }
        plan.calm();
        node().work();
        assertThat(plan.passages(CrashPoint.BEFORE_LEASE)).isZero();
        assertThat(fixture.effects()).hasSize(20).doesNotHaveDuplicates();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Tag("C1")
    @Test
    void batchesThatTheDatabaseRefusesAreNoCrashLoop() {
        node().receive(messages(3));
        plan.always(CrashPoint.BEFORE_COMMIT, () -> {
            throw new StoreUnavailableException("the test says so", null);
        });
        for (int process = 0; process < LIMIT + 2; process++) {
            Inbox<C> node = node();
            for (int round = 0; round < LIMIT + 2; round++) {
                assertThatThrownBy(node::work).isInstanceOf(RetryableException.class);
            }
        }
        plan.calm();
        node().work();
        assertThat(plan.passages(CrashPoint.BEFORE_LEASE)).isZero();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "1", "2");
    }
}
