package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Leases that nobody prolonged are taken away, once. */
abstract class ExpiryTests<C extends HandlerContext> extends WorkLab<C> {
    private static final Duration OVERDUE = Duration.ofMinutes(3);
    private static final Duration TOLERANCE = Duration.ofMinutes(1);

    ExpiryTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** One message whose lease has run out. */
    private WorkItem expired() {
        receiveByLease(message(0));
        WorkItem item = leased();
        fixture.advance(LEASE.plus(OVERDUE));
        return item;
    }

    /** Takes the expired lease away, as the monitor does. */
    private void takeAway() {
        run(transaction -> {
            ExpiredLease lease = transaction.takeExpired(consumer, ALL).get(0);
            transaction.postpone(consumer, List.of(failedUnderLease(lease.item(), Duration.ZERO)));
        });
    }

    @Test
    void leaseThatStillRunsIsNotTaken() {
        receiveByLease(message(0));
        leased();
        fixture.advance(LEASE.dividedBy(2));

        assertThat(takeExpired()).isEmpty();
    }

    @Test
    void expiredLeaseTellsWhoHadItForHowLong() {
        WorkItem item = expired();
        ExpiredLease lease = takeExpired().get(0);

        assertThat(lease.owner()).isEqualTo(NODE);
        assertThat(lease.overdue()).isBetween(OVERDUE, OVERDUE.plus(TOLERANCE));
        assertThat(lease.held()).isBetween(LEASE.minusMillis(1), LEASE.plus(TOLERANCE));
        assertThat(lease.item().id()).isEqualTo(item.id());
        assertThat(lease.item().key()).isEqualTo(item.key());
        assertThat(lease.item().attempts()).isEqualTo(1);
        assertThat(lease.item().token()).isEqualTo(item.token());
    }

    @Test
    void prolongedLeaseWasHeldFromItsBeginning() {
        receiveByLease(message(0));
        WorkItem item = leased();
        fixture.advance(LEASE.dividedBy(2));
        try (Heartbeat heartbeat = store.heartbeat()) {
            heartbeat.prolong(consumer, List.of(item), LEASE);
        }
        fixture.advance(LEASE.plus(OVERDUE));

        Duration held = LEASE.plus(LEASE.dividedBy(2));
        assertThat(takeExpired().get(0).held()).isBetween(held.minusMillis(1), held.plus(TOLERANCE));
    }

    @Test
    void expiredLeasesAreNobodyElsesWhileTheTransactionIsOpen() {
        expired();
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.takeExpired(consumer, ALL)).hasSize(1);
            assertThat(takeExpired()).isEmpty();
        }
        assertThat(takeExpired()).hasSize(1);
    }

    @Test
    void thoseThatEndedFirstAreTakenFirst() {
        Message longer = message(0);
        Message shorter = message(1);
        receiveByLease(longer);
        run(transaction -> transaction.lease(consumer, 0, 1, NODE, LEASE.multipliedBy(2)));
        receiveByLease(shorter);
        run(transaction -> transaction.lease(consumer, 0, 1, NODE, LEASE));
        fixture.advance(LEASE.multipliedBy(3));

        assertThat(takeExpired())
                .extracting(lease -> lease.item().key())
                .containsExactlyElementsOf(keysOf(shorter, longer));
        List<ExpiredLease> first = commit(transaction -> transaction.takeExpired(consumer, 1));
        assertThat(first).extracting(lease -> lease.item().key()).containsExactly(keyOf(shorter));
    }

    @Test
    void messageWhoseLeaseWasTakenAwayIsLeasedAgain() {
        WorkItem old = expired();
        takeAway();
        WorkItem item = leased();

        assertThat(item.attempts()).isEqualTo(2);
        assertThat(item.token()).isGreaterThan(old.token());
        assertThat(takeExpired()).isEmpty();
    }

    @Test
    void leaseThatWasTakenAwayHoldsNothing() {
        WorkItem old = expired();
        takeAway();
        run(transaction -> assertThat(transaction.hold(consumer, old)).isFalse());
        leased();
        run(transaction -> assertThat(transaction.hold(consumer, old)).isFalse());
        try (Heartbeat heartbeat = store.heartbeat()) {
            assertThat(heartbeat.prolong(consumer, List.of(old), LEASE)).isEmpty();
        }
    }

    @Test
    void expiredLeaseThatNobodyTookIsStillTheNewest() {
        WorkItem item = expired();
        run(transaction -> {
            assertThat(transaction.hold(consumer, item)).isTrue();
            transaction.finish(consumer, List.of(item));
        });
        assertThat(takeExpired()).isEmpty();
    }

    @Test
    void heldMessageIsNotTakenAway() {
        WorkItem item = expired();
        try (InboxTransaction<C> completion = begin()) {
            assertThat(completion.hold(consumer, item)).isTrue();
            assertThat(takeExpired()).isEmpty();
        }
        assertThat(takeExpired()).hasSize(1);
    }

    @Test
    void whoeverCompletesWhileTheLeaseIsTakenAwayHoldsNothing() throws Exception {
        WorkItem item = expired();
        CountDownLatch begun = new CountDownLatch(1);
        Future<Boolean> completion;
        try (InboxTransaction<C> monitor = begin()) {
            ExpiredLease lease = monitor.takeExpired(consumer, ALL).get(0);
            completion = threads.start(() -> {
                begun.countDown();
                return commit(transaction -> transaction.hold(consumer, item));
            });
            assertThat(begun.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
            monitor.postpone(consumer, List.of(failedUnderLease(lease.item(), Duration.ZERO)));
            monitor.commit();
        }
        assertThat(Threads.result(completion)).isFalse();
    }

    @Test
    void consumersHaveLeasesOfTheirOwn() {
        MessageKey own = expired().key();
        RegisteredConsumer first = consumer;
        consumer = register(first.order());
        assertThat(takeExpired()).isEmpty();
        consumer = first;
        assertThat(takeExpired()).extracting(lease -> lease.item().key()).containsExactly(own);
    }
}
