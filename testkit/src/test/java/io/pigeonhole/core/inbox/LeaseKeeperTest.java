package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
            .build();

    private final Message message =
            Message.builder("queue").id("1").type("payment").payload("x").build();
    private final WorkItem item = new WorkItem(1, MessageKey.firstOf(1), message, 1, 0, Duration.ZERO, true, 1);
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong looks = new AtomicLong();
    private final AtomicInteger beats = new AtomicInteger();
    private final CountDownLatch free = new CountDownLatch(1);
    private volatile boolean isWaiting;
    private volatile boolean isAway;
    private volatile boolean isReleased;
    private final LeaseKeeper keeper =
            new LeaseKeeper(inbox.registered(), this::heartbeat, Duration.ofMillis(60), now::get, looks::get);

    /** Prolongs whatever it is asked for, unless something is in the way. */
    private Heartbeat heartbeat() {
        return new Heartbeat() {
            @Override
            public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
                beats.incrementAndGet();
                if (isWaiting) {
                    awaitFree();
                }
                if (isAway) {
                    throw new IllegalStateException("the database is away");
                }
                if (isReleased) {
                    return Set.of();
                }
                return items.stream().map(WorkItem::id).collect(Collectors.toSet());
            }

            @Override
            public void close() {}
        };
    }

    private void awaitFree() {
        try {
            free.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private LeaseKeeper.Kept keep() {
        return keeper.keep(item, new LeaseKeeper.Limit(LIMIT, "patience"), System.nanoTime());
    }

    private void passes(Duration time) {
        now.addAndGet(time.toNanos());
    }

    /** The first of two may have begun before. */
    private void awaitTwoBeats() {
        int before = beats.get();
        await().until(() -> beats.get() >= before + 2);
    }

    @Test
    void leaseThatIsNotProlongedAnyMoreIsLostWhenItsNodeCloses() throws InterruptedException {
        try (LeaseKeeper.Kept lease = keep()) {
            passes(Duration.ofHours(2));
            await().until(lease::isLost);
            assertThat(lease.awaitLoss(Duration.ZERO)).isFalse();
            keeper.stop(worker -> true);
            assertThat(lease.awaitLoss(Duration.ZERO)).isTrue();
        }
    }

    @Test
    @Tag("B11")
    void handlerThatTakesTooLongIsInterrupted() {
        try (LeaseKeeper.Kept lease = keep()) {
            assertThatThrownBy(() -> lease.call(() -> {
                        passes(LIMIT);
                        return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
                    }))
                    .isInstanceOf(TimeoutException.class)
                    .hasMessageContaining("after 10 s")
                    .hasMessageEndingWith("set a longer patience");
            assertThat(lease.isLost()).isTrue();
        }
    }

    @Test
    @Tag("B11")
    void neitherEarlierCallsNorAnOutageBetweenThemCount() throws Exception {
        try (LeaseKeeper.Kept lease = keep()) {
            for (int call = 0; call < 3; call++) {
                boolean done = lease.call(() -> {
                    passes(LIMIT.minusNanos(1));
                    awaitTwoBeats();
                    return true;
                });
                assertThat(done).isTrue();
                for (int refused = 0; refused < 3; refused++) {
                    lease.step();
                    passes(Duration.ofMinutes(59));
                    awaitTwoBeats();
                }
            }
            assertThat(lease.isLost()).isFalse();
        }
    }

    @Test
    @Tag("B11")
    void handlerThatTakesTooLongIsInterruptedAlsoWhereItsLeaseIsLost() {
        try (LeaseKeeper.Kept lease = keep()) {
            assertThatThrownBy(() -> lease.call(() -> {
                        isReleased = true;
                        assertThat(lease.awaitLoss(Duration.ofSeconds(20))).isTrue();
                        passes(LIMIT);
                        return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
                    }))
                    .isInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void olderLeaseOfAMessageIsLostOnceThereIsANewerOne() {
        try (LeaseKeeper.Kept older = keep();
                LeaseKeeper.Kept newer = keep()) {
            assertThat(older.isLost()).isTrue();
            awaitTwoBeats();
            assertThat(newer.isLost()).isFalse();
        }
    }

    @Test
    void leaseThatNobodyCouldProlongForItsDurationMayBeLost() {
        try (LeaseKeeper.Kept lease = keep()) {
            awaitTwoBeats();
            isAway = true;
            await().until(lease::mayBeLost);
            assertThat(lease.isLost()).isFalse();
            isAway = false;
            await().until(() -> !lease.mayBeLost());
        }
    }

    /** The database may only be waiting for the pool, which waits for the handler. */
    @Test
    @Tag("B11")
    void handlerThatTakesTooLongIsInterruptedAlsoWhileTheHeartbeatWaits() {
        isWaiting = true;
        try (LeaseKeeper.Kept lease = keep()) {
            await().until(() -> beats.get() > 0);
            assertThatThrownBy(() -> lease.call(() -> {
                        passes(LIMIT);
                        keeper.look();
                        return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
                    }))
                    .isInstanceOf(TimeoutException.class);
        } finally {
            free.countDown();
        }
    }

    @Test
    @Tag("B11")
    void handlerIsNotChargedForATimeInWhichTheProcessStoodStill() throws Exception {
        isWaiting = true;
        try (LeaseKeeper.Kept lease = keep()) {
            await().until(() -> beats.get() > 0);
            boolean interrupted = lease.call(() -> {
                passes(Duration.ofHours(8));
                looks.addAndGet(Duration.ofHours(8).toNanos());
                keeper.look();
                return Thread.currentThread().isInterrupted();
            });
            assertThat(interrupted).isFalse();
            assertThat(lease.hasTakenTooLong()).isFalse();
        } finally {
            free.countDown();
        }
    }
}
