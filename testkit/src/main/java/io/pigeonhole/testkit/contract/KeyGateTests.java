package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Under the lock of its work partition a key's unfinished messages are seen, whoever stored them. */
abstract class KeyGateTests<C extends HandlerContext> extends WorkLab<C> {
    private static final OrderingKey A = orderingKey("a");
    private static final OrderingKey B = orderingKey("b");

    KeyGateTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private Set<OrderingKey> blocked() {
        try (InboxTransaction<C> transaction = begin()) {
            transaction.lock(consumer, List.of(0), LONG);
            return transaction.blocked(consumer, List.of(A, B));
        }
    }

    private void deadLetter(Message message, DeadReason reason) {
        run(transaction -> {
            claimAll(transaction, List.of(message));
            transaction.deadLetter(consumer, List.of(dead(message, reason, true)));
        });
    }

    @Test
    void lockedWorkPartitionIsLockedForOthersUntilTheTransactionEnds() throws Exception {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS, 4);
        Future<Boolean> waiting;
        try (InboxTransaction<C> first = begin()) {
            first.lock(consumer, List.of(1, 2), LONG);
            CountDownLatch begun = new CountDownLatch(1);
            waiting = threads.start(() -> {
                begun.countDown();
                return commit(transaction -> {
                    transaction.lock(consumer, List.of(2, 3), LONG);
                    return true;
                });
            });
            assertThat(begun.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        }
        assertThat(Threads.result(waiting)).isTrue();
    }

    @Test
    void otherWorkPartitionsAndOtherConsumersAreFree() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS, 4);
        RegisteredConsumer other = register(KeyOrder.SKIP_DEAD_LETTERS, 4);
        try (InboxTransaction<C> first = begin()) {
            first.lock(consumer, List.of(1, 2), LONG);
            run(transaction -> {
                transaction.lock(consumer, List.of(0, 3), SHORT);
                transaction.lock(other, List.of(1, 2), SHORT);
            });
        }
    }

    @Test
    void oneTransactionMayLockTheSameWorkPartitionTwice() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        run(transaction -> {
            transaction.lock(consumer, List.of(0), SHORT);
            transaction.lock(consumer, List.of(0), SHORT);
        });
    }

    @Test
    void whoeverWaitsTooLongIsBlockedAndCannotCommit() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        try (InboxTransaction<C> first = begin();
                InboxTransaction<C> second = begin()) {
            first.lock(consumer, List.of(0), LONG);
            assertThatThrownBy(() -> second.lock(consumer, List.of(0), SHORT))
                    .isInstanceOf(ClaimBlockedException.class);
            assertThatThrownBy(second::commit)
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            refused -> assertThat(store.classify(refused)).isEqualTo(ErrorClass.ABORTED));
        }
    }

    @Test
    void patienceOfALockHoldsForItOnly() throws Exception {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        Message held = message(0);
        try (InboxTransaction<C> duplicate = begin()) {
            claimAll(duplicate, List.of(held));
            CountDownLatch locked = new CountDownLatch(1);
            Future<Boolean> waiting = threads.start(() -> commit(transaction -> {
                transaction.lock(consumer, List.of(0), SHORT);
                locked.countDown();
                return claim(transaction, keyOf(held)).claimed().isEmpty();
            }));
            assertThat(locked.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            duplicate.commit();
            assertThat(Threads.result(waiting)).isTrue();
        }
    }

    @Test
    void keyWithoutUnfinishedMessagesIsFree() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        receive(ofKey("c"), message(0));

        assertThat(blocked()).isEmpty();
    }

    @Test
    void everyMessageInWorkBlocksItsKey() {
        for (KeyOrder order : List.of(KeyOrder.SKIP_DEAD_LETTERS, KeyOrder.BLOCK_ON_DEAD_LETTERS)) {
            consumer = register(order);
            receive(ofKey("a"));
            assertThat(blocked()).containsExactly(A);

            consumer = register(order);
            park(ofKey("b"), LATER);
            assertThat(blocked()).containsExactly(B);

            consumer = register(order);
            receiveByLease(ofKey("a"));
            leased();
            park(ofKey("b"), LATER);
            assertThat(blocked()).containsExactlyInAnyOrder(A, B);
        }
    }

    @Test
    void withoutAnOrderNothingIsBlocked() {
        receive(ofKey("a"));
        deadLetter(ofKey("b"), DeadReason.PERMANENT_FAILURE);

        assertThat(blocked()).isEmpty();
    }

    @Test
    void finishedMessageBlocksNobody() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        receive(ofKey("a"));
        run(transaction -> transaction.finish(consumer, take(transaction)));

        assertThat(blocked()).isEmpty();
    }

    @Test
    void deadLetterBlocksItsKeyWhereTheOrderSaysSo() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        deadLetter(ofKey("a"), DeadReason.PERMANENT_FAILURE);
        assertThat(blocked()).containsExactly(A);

        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        deadLetter(ofKey("a"), DeadReason.PERMANENT_FAILURE);
        assertThat(blocked()).isEmpty();
    }

    @Test
    void lateMessageBlocksNobody() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        run(transaction -> transaction.deadLetter(consumer, List.of(dead(ofKey("a"), DeadReason.LATE, false))));

        assertThat(blocked()).isEmpty();
    }

    @Test
    void ownMessagesOfTheTransactionBlockToo() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        Message parked = ofKey("a");
        Message dead = ofKey("b");
        run(transaction -> {
            transaction.lock(consumer, List.of(0), LONG);
            claimAll(transaction, List.of(parked, dead));
            assertThat(transaction.blocked(consumer, List.of(A, B))).isEmpty();
            transaction.park(consumer, List.of(parked(parked)));
            assertThat(transaction.blocked(consumer, List.of(A, B))).containsExactly(A);
            transaction.deadLetter(consumer, List.of(dead(dead, DeadReason.PERMANENT_FAILURE, true)));
            assertThat(transaction.blocked(consumer, List.of(A, B))).containsExactlyInAnyOrder(A, B);
        });
    }

    @Test
    void messageThatWasParkedUnderTheLockIsSeenByTheNextThatLocks() throws Exception {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        Message message = ofKey("a");
        Future<Set<OrderingKey>> next;
        try (InboxTransaction<C> first = begin()) {
            first.lock(consumer, List.of(0), LONG);
            CountDownLatch begun = new CountDownLatch(1);
            next = threads.start(() -> {
                begun.countDown();
                return blocked();
            });
            assertThat(begun.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
            claimAll(first, List.of(message));
            first.park(consumer, List.of(new ParkedMessage(keyOf(message), message, LATER, attempt())));
            first.commit();
        }
        assertThat(Threads.result(next)).containsExactly(A);
    }

    @TestFactory
    Stream<DynamicTest> whoeverIsIdleForTooLongLosesItsWorkPartitionsAndWhatItTook() {
        return whereIdleTransactionsEnd(() -> {
            consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
            Message message = ofKey("a");
            receive(message);
            try (InboxTransaction<C> idle = store.begin(Duration.ofMillis(100))) {
                idle.lock(consumer, List.of(0), LONG);
                assertThat(keys(take(idle))).containsExactly(keyOf(message));
                run(transaction -> transaction.lock(consumer, List.of(0), LONG));

                // Of what it held, the server lets go one after the other: the work partition may be free before its
                // worker is.
                await().untilAsserted(() -> assertThat(available()).containsExactly(keyOf(message)));
                assertThatThrownBy(idle::commit).isInstanceOf(RuntimeException.class);
            }
        });
    }
}
