package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of a key the messages are taken from its head on, and none overtakes another. */
abstract class OrderTests<C extends HandlerContext> extends WorkLab<C> {
    OrderTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void keepTheOrder() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
    }

    @Test
    void messagesOfAKeyAreTakenInTheOrderOfTheirArrival() {
        List<Message> messages = List.of(ofKey("a"), ofKey("a"), ofKey("a"), ofKey("a"));
        receive(messages.get(0), messages.get(1));
        receive(messages.get(2), messages.get(3));

        assertThat(available()).containsExactlyElementsOf(keysOf(messages));
    }

    @Test
    void limitCutsBehindTheFirst() {
        List<Message> messages = List.of(ofKey("a"), ofKey("a"), ofKey("a"));
        receive(messages.toArray(Message[]::new));
        List<MessageKey> taken = commit(transaction -> {
            assertThat(transaction.enter(consumer, 0)).isTrue();
            return keys(transaction.take(consumer, 0, 2));
        });
        assertThat(taken).containsExactlyElementsOf(keysOf(messages.subList(0, 2)));
    }

    @Test
    void headThatWaitsHidesThoseBehindIt() {
        Message other = ofKey("b");
        park(ofKey("a"), LATER);
        receive(ofKey("a"), other);

        assertThat(available()).containsExactly(keyOf(other));
    }

    @Test
    void headThatIsDueBringsThoseBehindItInTheOrderOfTheirArrival() {
        Message head = ofKey("a");
        Message second = ofKey("a");
        Message third = ofKey("a");
        park(head, LATER);
        receive(second, third);
        fixture.advance(LATER);

        assertThat(available()).containsExactlyElementsOf(keysOf(head, second, third));
    }

    @Test
    void messageThatWaitsInTheMiddleHidesThoseBehindIt() {
        Message head = ofKey("a");
        receive(head);
        park(ofKey("a"), LATER);
        receive(ofKey("a"));

        assertThat(available()).containsExactly(keyOf(head));
    }

    @Test
    void postponedHeadHidesThoseBehindItAlsoInItsOwnTransaction() {
        Message head = ofKey("a");
        Message second = ofKey("a");
        receive(head, second);
        run(transaction -> {
            transaction.postpone(consumer, List.of(failed(take(transaction).get(0), LATER)));
            assertThat(take(transaction)).isEmpty();
        });
        assertThat(available()).isEmpty();
        fixture.advance(LATER);
        assertThat(available()).containsExactlyElementsOf(keysOf(head, second));
    }

    @Test
    void headThatNeedsALeaseHidesThoseBehindIt() {
        Message head = ofKey("a");
        Message second = ofKey("a");
        receiveByLease(head);
        receive(second);
        assertThat(available()).isEmpty();

        WorkItem item = leased();
        assertThat(available()).isEmpty();
        run(transaction -> {
            assertThat(transaction.hold(consumer, item)).isTrue();
            transaction.finish(consumer, List.of(item));
        });
        assertThat(available()).containsExactly(keyOf(second));
    }

    @Test
    void messageInTheMiddleThatNeedsALeaseHidesThoseBehindIt() {
        Message head = ofKey("a");
        receive(head);
        receiveByLease(ofKey("a"));
        receive(ofKey("a"));

        assertThat(available()).containsExactly(keyOf(head));
        assertThat(leasable()).isEmpty();
    }

    @Test
    void finishedHeadWhoseTransactionIsOpenStillHidesThoseBehindIt() {
        Message second = ofKey("a");
        receive(ofKey("a"), second);
        try (InboxTransaction<C> worker = begin();
                InboxTransaction<C> other = begin()) {
            assertThat(worker.enter(consumer, 0)).isTrue();
            worker.finish(consumer, worker.take(consumer, 0, 1));
            assertThat(other.enter(consumer, 0)).isFalse();
            worker.commit();
            assertThat(keys(take(other))).containsExactly(keyOf(second));
        }
    }

    /** Whatever a batch may hold: what is due first is of the keys whose heads are locked. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void lockedHeadsHoldUpNoOtherKeyOfTheWorkPartition(int limit) {
        Message other = ofKey("b");
        List<Message> messages = new ArrayList<>();
        for (String key : List.of("a", "c")) {
            for (int i = 0; i < 5; i++) {
                messages.add(ofKey(key));
            }
        }
        messages.add(other);
        receive(messages.toArray(Message[]::new));
        List<Long> ids = takeable().stream().map(WorkItem::id).toList();
        try (InboxTransaction<C> holder = begin();
                InboxTransaction<C> worker = begin()) {
            assertThat(holder.retake(consumer, List.of(ids.get(0), ids.get(5)))).hasSize(2);
            assertThat(worker.enter(consumer, 0)).isTrue();
            assertThat(keys(worker.take(consumer, 0, limit))).containsExactly(keyOf(other));
        }
        assertThat(available()).containsExactlyElementsOf(keysOf(messages));
    }

    @Test
    void lockedHeadThatFillsTheBytesOfABatchHoldsUpNoOtherKeyOfTheWorkPartition() {
        Message other = ofKey("b");
        receive(ofKey("a"), other);
        long head = takeable().get(0).id();
        try (InboxTransaction<C> holder = begin();
                InboxTransaction<C> worker = begin()) {
            assertThat(holder.retake(consumer, List.of(head))).hasSize(1);
            assertThat(worker.enter(consumer, 0)).isTrue();
            assertThat(keys(worker.take(consumer, 0, 4, 1))).containsExactly(keyOf(other));
        }
    }

    /** Of a look that fills its batch with others, and of one that does not. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void messagesWithoutAKeyHideNoKeyBehindAWaitingHeadWithAWholeBatch(int free) {
        Message other = ofKey("b");
        park(ofKey("a"), LATER);
        receive(ofKey("a"), ofKey("a"), ofKey("a"), other);
        received(free);
        assertThat(takenAtOnce(3)).contains(keyOf(other));
    }

    @Test
    void messageWithoutAKeyHidesNoKeyWhileTheHeadOfAnotherWithAWholeBatchIsLocked() {
        Message other = ofKey("b");
        Message free = received(1).get(0);
        receive(ofKey("a"), ofKey("a"), ofKey("a"), other);
        long head = takeable().get(1).id();
        try (InboxTransaction<C> holder = begin()) {
            assertThat(holder.retake(consumer, List.of(head))).hasSize(1);
            assertThat(takenAtOnce(3)).containsExactlyElementsOf(keysOf(free, other));
        }
    }

    @Test
    void lockedMessageWithoutAKeyThatFillsTheBytesOfABatchHoldsUpNobody() {
        received(1);
        Message other = ofKey("b");
        receive(other);
        try (InboxTransaction<C> holder = begin();
                InboxTransaction<C> worker = begin()) {
            lockTheFirst(holder, 1);
            assertThat(worker.enter(consumer, 0)).isTrue();
            assertThat(keys(worker.take(consumer, 0, 4, 1))).containsExactly(keyOf(other));
        }
    }

    @Test
    void lockedMessagesWithoutAKeyThatFillABatchHoldUpNobody() {
        received(4);
        Message other = ofKey("b");
        receive(other);
        Message free = received(1).get(0);
        try (InboxTransaction<C> holder = begin()) {
            lockTheFirst(holder, 4);
            assertThat(takenAtOnce(3)).containsExactlyElementsOf(keysOf(other, free));
        }
    }

    /** With nothing else in the work partition. */
    @Test
    void lockedMessagesWithoutAKeyThatFillABatchHoldUpNoOthersWithoutAKey() {
        received(4);
        Message free = received(1).get(0);
        try (InboxTransaction<C> holder = begin()) {
            lockTheFirst(holder, 4);
            assertThat(takenAtOnce(3)).containsExactly(keyOf(free));
        }
    }

    private void lockTheFirst(InboxTransaction<C> holder, int count) {
        List<Long> first = takeable().stream().limit(count).map(WorkItem::id).toList();
        assertThat(holder.retake(consumer, first)).hasSize(count);
    }

    private List<MessageKey> takenAtOnce(int limit) {
        try (InboxTransaction<C> worker = begin()) {
            assertThat(worker.enter(consumer, 0)).isTrue();
            return keys(worker.take(consumer, 0, limit));
        }
    }

    @Test
    void messagesWithoutAnOrderingKeyAreFree() {
        Message waiting = message(0);
        Message free = message(1);
        park(waiting, LATER);
        receive(free);

        assertThat(available()).containsExactly(keyOf(free));
    }

    @Test
    void withoutAnOrderMessagesOfAKeyPassOneThatWaits() {
        consumer = register(KeyOrder.NONE);
        Message second = ofKey("a");
        park(ofKey("a"), LATER);
        receive(second);

        assertThat(available()).containsExactly(keyOf(second));
    }

    @Test
    void keyGoesOnPastADeadLetter() {
        Message second = ofKey("a");
        receive(ofKey("a"), second);
        deadLetterTheFirst(DeadReason.RETRIES_EXHAUSTED);

        assertThat(available()).containsExactly(keyOf(second));
    }

    @Test
    void keyStaysBehindADeadLetterUntilItIsFinished() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        Message head = ofKey("a");
        Message second = ofKey("a");
        Message other = ofKey("b");
        receive(head, second, other);
        deadLetterTheFirst(DeadReason.RETRIES_EXHAUSTED);

        assertThat(available()).containsExactly(keyOf(other));
        Set<MessageKey> reopened = commit(transaction -> transaction.reopen(consumer, keysOf(head)));
        assertThat(reopened).containsExactly(keyOf(head));
        assertThat(available()).containsExactlyElementsOf(keysOf(head, second, other));
    }

    @Test
    void messageThatArrivedBeforeADeadLetterOfItsKeyIsNotBehindIt() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        Message head = ofKey("a");
        Message dead = ofKey("a");
        Message behind = ofKey("a");
        receive(head, dead, behind);
        run(transaction -> {
            WorkItem item = take(transaction).get(1);
            transaction.deadLetter(consumer, List.of(deadLettered(item, DeadReason.PERMANENT_FAILURE)));
        });
        assertThat(available()).containsExactly(keyOf(head));
        run(transaction -> transaction.finish(consumer, take(transaction)));
        assertThat(available()).isEmpty();
    }

    @Test
    void messageIsNotLeasedBehindADeadLetterThatBlocks() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        receive(ofKey("a"));
        deadLetterTheFirst(DeadReason.PERMANENT_FAILURE);
        receiveByLease(ofKey("a"));

        assertThat(leasable()).isEmpty();
    }

    @Test
    void manyKeysKeepTheirOrderIndependently() {
        Message a1 = ofKey("a");
        Message b1 = ofKey("b");
        Message a2 = ofKey("a");
        Message b2 = ofKey("b");
        receive(a1, b1, a2, b2);
        run(transaction -> {
            List<WorkItem> items = take(transaction);
            assertThat(keys(items)).containsExactlyElementsOf(keysOf(a1, b1, a2, b2));
            transaction.postpone(consumer, List.of(failed(items.get(0), Duration.ofMinutes(1))));
            transaction.finish(consumer, items.subList(1, 2));
        });
        assertThat(available()).containsExactly(keyOf(b2));
    }

    private void deadLetterTheFirst(DeadReason reason) {
        run(transaction -> transaction.deadLetter(
                consumer, List.of(deadLettered(take(transaction).get(0), reason))));
    }

    private static DeadLetter deadLettered(WorkItem item, DeadReason reason) {
        return new DeadLetter(
                item.key(), item.message(), reason, "for a test", true, attempt(item.attempts() + 1), item);
    }
}
