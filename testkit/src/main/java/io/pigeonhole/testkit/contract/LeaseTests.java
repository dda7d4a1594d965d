package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The right to work on a message outside a transaction: counted first, fenced by its token. */
abstract class LeaseTests<C extends HandlerContext> extends WorkLab<C> {
    LeaseTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void messageThatNeedsALeaseIsLeasedAndNotTaken() {
        Message byLease = message(0);
        Message ordinary = message(1);
        receiveByLease(byLease);
        receive(ordinary);

        assertThat(available()).containsExactly(keyOf(ordinary));
        assertThat(leasable()).containsExactly(keyOf(byLease));
    }

    @Test
    void leaseCountsTheAttemptFirst() {
        Message message = message(0);
        receiveByLease(message);
        WorkItem item = leased();

        assertThat(item.key()).isEqualTo(keyOf(message));
        assertThat(item.attempts()).isEqualTo(1);
        assertThat(item.byLease()).isTrue();
        assertThat(item.token()).isPositive();
        assertThat(item.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
    }

    @Test
    void leasedMessageIsNeitherLeasedAgainNorTaken() {
        receiveByLease(message(0));
        leased();

        assertThat(leasable()).isEmpty();
        assertThat(available()).isEmpty();
    }

    @Test
    void leaseOfATransactionThatWasRolledBackIsNone() {
        Message message = message(0);
        receiveByLease(message);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(lease(transaction)).hasSize(1);
            assertThat(leasable()).isEmpty();
        }
        assertThat(leased().attempts()).isEqualTo(1);
    }

    @Test
    void messagesAreLeasedWhenTheyAreDueTheOldestFirstUpToTheLimit() {
        List<Message> messages = List.of(message(0), message(1), message(2));
        receiveByLease(messages.toArray(Message[]::new));
        List<MessageKey> first = commit(transaction -> keys(transaction.lease(consumer, 0, 2, NODE, LEASE)));

        assertThat(first).containsExactlyElementsOf(keysOf(messages.subList(0, 2)));
        assertThat(leasable()).containsExactly(keyOf(messages.get(2)));
    }

    @Test
    void takenMessageNeedsALeaseOnceSomebodySaysSo() {
        Message message = message(0);
        receive(message);
        run(transaction -> transaction.requireLease(consumer, take(transaction)));

        assertThat(available()).isEmpty();
        WorkItem item = leased();
        assertThat(item.key()).isEqualTo(keyOf(message));
        assertThat(item.attempts()).isEqualTo(1);
        assertThat(item.byLease()).isTrue();
    }

    @Test
    void heldMessageIsFinished() {
        Message message = message(0);
        receiveByLease(message);
        WorkItem item = leased();
        run(transaction -> {
            assertThat(transaction.hold(consumer, item)).isTrue();
            transaction.finish(consumer, List.of(item));
        });
        fixture.advance(LEASE.multipliedBy(2));

        assertThat(leasable()).isEmpty();
        assertThat(takeExpired()).isEmpty();
        assertThat(claimed(keyOf(message)).claimed()).isEmpty();
    }

    @Test
    void heldMessageIsPostponedAndLeasedAgainWithAHigherToken() {
        Message message = message(0);
        receiveByLease(message);
        WorkItem first = leased();
        run(transaction -> {
            assertThat(transaction.hold(consumer, first)).isTrue();
            transaction.postpone(consumer, List.of(failedUnderLease(first, LATER)));
        });
        assertThat(leasable()).isEmpty();
        fixture.advance(LATER);
        assertThat(available()).isEmpty();
        WorkItem second = leased();

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.attempts()).isEqualTo(2);
        assertThat(second.token()).isGreaterThan(first.token());
    }

    @Test
    void oldTokenHoldsNothingAndCanNeitherFinishNorPostpone() {
        receiveByLease(message(0));
        WorkItem old = leased();
        run(transaction -> {
            assertThat(transaction.hold(consumer, old)).isTrue();
            transaction.postpone(consumer, List.of(failedUnderLease(old, Duration.ZERO)));
        });
        WorkItem newest = leased();

        run(transaction -> assertThat(transaction.hold(consumer, old)).isFalse());
        assertThatThrownBy(() -> run(transaction -> transaction.finish(consumer, List.of(old))))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> run(
                        transaction -> transaction.postpone(consumer, List.of(failedUnderLease(old, Duration.ZERO)))))
                .isInstanceOf(RuntimeException.class);
        run(transaction -> {
            assertThat(transaction.hold(consumer, newest)).isTrue();
            transaction.finish(consumer, List.of(newest));
        });
        assertThat(leasable()).isEmpty();
    }

    @Test
    void finishedMessageCannotBeHeld() {
        receiveByLease(message(0));
        WorkItem item = leased();
        run(transaction -> {
            assertThat(transaction.hold(consumer, item)).isTrue();
            transaction.finish(consumer, List.of(item));
        });
        run(transaction -> assertThat(transaction.hold(consumer, item)).isFalse());
    }

    @Test
    void withAnOrderOnlyTheHeadOfAKeyIsLeased() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        Message firstOfA = ofKey("a");
        Message secondOfA = ofKey("a");
        Message firstOfB = ofKey("b");
        Message free = message(0);
        receiveByLease(firstOfA, secondOfA, firstOfB, free);
        List<WorkItem> heads = commit(this::lease);

        assertThat(keys(heads)).containsExactlyInAnyOrderElementsOf(keysOf(firstOfA, firstOfB, free));
        assertThat(leasable()).isEmpty();
        run(transaction -> {
            for (WorkItem head : heads) {
                assertThat(transaction.hold(consumer, head)).isTrue();
            }
            transaction.finish(consumer, heads);
        });
        assertThat(leasable()).containsExactly(keyOf(secondOfA));
    }

    @Test
    void messageIsNotLeasedBehindAnotherOfItsKeyThatWaits() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        park(ofKey("a"), LATER);
        receiveByLease(ofKey("a"));

        assertThat(leasable()).isEmpty();
    }

    @Test
    void ofManyThreadsOneLeasesAMessage() throws Exception {
        for (int i = 0; i < 20; i++) {
            receiveByLease(message(i));
        }
        ConcurrentLinkedQueue<MessageKey> leased = new ConcurrentLinkedQueue<>();
        threads.together(4, thread -> {
            for (int round = 0; round < 10; round++) {
                leased.addAll(commit(transaction -> keys(transaction.lease(consumer, 0, 3, NODE, LEASE))));
            }
            return thread;
        });
        assertThat(leased).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void heartbeatKeepsALeaseAlive() {
        receiveByLease(message(0));
        WorkItem item = leased();
        try (Heartbeat heartbeat = store.heartbeat()) {
            for (int beat = 0; beat < 4; beat++) {
                fixture.advance(LEASE.dividedBy(2));
                assertThat(heartbeat.prolong(consumer, List.of(item), LEASE)).containsExactly(item.id());
            }
        }
        assertThat(takeExpired()).isEmpty();
        run(transaction -> assertThat(transaction.hold(consumer, item)).isTrue());
    }

    @Test
    void heartbeatTellsWhichLeasesAreLost() {
        receiveByLease(message(0), message(1));
        List<WorkItem> items = commit(this::lease);
        WorkItem lost = items.get(0);
        WorkItem kept = items.get(1);
        run(transaction -> {
            assertThat(transaction.hold(consumer, lost)).isTrue();
            transaction.postpone(consumer, List.of(failedUnderLease(lost, Duration.ZERO)));
        });
        try (Heartbeat heartbeat = store.heartbeat()) {
            assertThat(heartbeat.prolong(consumer, items, LEASE)).isEqualTo(Set.of(kept.id()));
            WorkItem newest = leased();
            assertThat(heartbeat.prolong(consumer, items, LEASE)).isEqualTo(Set.of(kept.id()));
            assertThat(heartbeat.prolong(consumer, List.of(newest), LEASE)).containsExactly(newest.id());
        }
    }
}
