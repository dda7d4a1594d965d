package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.store.Maintenance;
import io.pigeonhole.core.store.Retention;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node forgets what is past its time, in the background. */
class ForgettingTest {
    private final AtomicInteger pieces = new AtomicInteger();

    /** Has so many pieces, and fails at one of them. */
    private record Pieces(AtomicInteger done, int more, int failing) implements Retention {
        @Override
        public Duration window() {
            return Duration.ofDays(7);
        }

        @Override
        public Retired retire() {
            int number = done.incrementAndGet();
            if (number == failing) {
                throw new StoreUnavailableException("away", null);
            }
            return new Retired(0, 1, number < more);
        }
    }

    private Node node(Retention retention, Duration interval) {
        return new NodeBuilder(() -> {}, retention, consumers -> List.of())
                .maintenanceInterval(interval)
                .start();
    }

    @Test
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void nodeForgetsPieceByPieceUntilThereIsNoMore() {
        try (Node node = node(new Pieces(pieces, 5, 0), Duration.ofHours(1))) {
            await().until(() -> pieces.get() >= 5);
        }
        assertThat(pieces).hasValue(5);
    }

    @Test
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void nodeGoesOnAfterAFailure() {
        try (Node node = node(new Pieces(pieces, 3, 2), Duration.ofSeconds(1))) {
            await().until(() -> pieces.get() >= 3);
        }
    }

    @Test
    @Tag("D1")
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void nodeForgetsAlthoughTheStoreCannotBeMaintained() {
        AtomicInteger maintained = new AtomicInteger();
        Maintenance failing = () -> {
            if (maintained.incrementAndGet() > 1) {
                throw new StoreUnavailableException("out of shared memory", null);
            }
        };
        NodeBuilder builder = new NodeBuilder(failing, new Pieces(pieces, 1, 0), consumers -> List.of())
                .maintenanceInterval(Duration.ofSeconds(1));
        try (Node node = builder.start()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> pieces.get() >= 3);
        }
        assertThat(maintained).hasValueGreaterThan(1);
    }

    @Test
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void listenerIsToldEachPieceAndDisturbsNothing() {
        AtomicInteger told = new AtomicInteger();
        NodeBuilder builder = new NodeBuilder(() -> {}, new Pieces(pieces, 3, 0), consumers -> List.of())
                .maintenanceListener(new MaintenanceListener() {
                    @Override
                    public void onRetired(Retired done, long nanos) {
                        told.addAndGet((int) done.rows());
                        throw new IllegalStateException("a listener's own trouble");
                    }
                });
        try (Node node = builder.start()) {
            await().until(() -> pieces.get() >= 3 && told.get() == 3);
        }
    }

    @Test
    @Tag("B2")
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void nodeGoesOnWhoeverInterruptsItsMaintenanceAndWhateverItsListenerThrows() {
        NodeBuilder builder = new NodeBuilder(() -> {}, new Pieces(pieces, 6, 0), consumers -> List.of())
                .maintenanceListener(new MaintenanceListener() {
                    @Override
                    public void onRetired(Retired done, long nanos) {
                        Thread.currentThread().interrupt();
                        throw new NoClassDefFoundError("a listener's own");
                    }
                })
                .maintenanceInterval(Duration.ofSeconds(1));
        try (Node node = builder.start()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> pieces.get() >= 6);
        }
    }

    @Test
    @Tag("D5")
    void archiveThatDoesNotComeBackHoldsUpNothingElse() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Retention hanging = new Retention() {
            @Override
            public Duration window() {
                return Duration.ofDays(7);
            }

            @Override
            public Retired retire() {
                return retireArchived();
            }

            @Override
            public Retired retireWithoutArchive() {
                pieces.incrementAndGet();
                return Retired.NOTHING;
            }

            @Override
            public Retired retireArchived() {
                asked.countDown();
                // As a disk does whose server is gone: no interrupt ends it.
                BoundedWait.await(Duration.ofMinutes(1), nanos -> never.await(nanos, TimeUnit.NANOSECONDS));
                return Retired.NOTHING;
            }
        };
        Node node = node(hanging, Duration.ofSeconds(1));
        asked.await();
        await().until(() -> pieces.get() >= 3);
        node.close();
        never.countDown();
    }

    @Test
    void closedNodeForgetsNothingMore() {
        Node node = node(new Pieces(pieces, Integer.MAX_VALUE, 0), Duration.ofHours(1));
        await().until(() -> pieces.get() >= 2);
        node.close();
        int before = pieces.get();
        await().during(Duration.ofMillis(100)).until(() -> pieces.get() == before);
    }
}
