package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A message that is given up on can come again, and can be given another beginning. */
abstract class DeadLetterTests<C extends HandlerContext> extends WorkLab<C> {
    DeadLetterTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private static DeadLetter deadLettered(WorkItem item, int attempts) {
        return new DeadLetter(
                item.key(), item.message(), DeadReason.RETRIES_EXHAUSTED, "for a test", true, attempt(attempts), item);
    }

    /** Receives a message and gives up on it after so many attempts. */
    private Message deadLetteredAfter(int attempts) {
        Message message = message(0);
        receive(message);
        run(transaction -> transaction.deadLetter(
                consumer, List.of(deadLettered(take(transaction).get(0), attempts))));
        return message;
    }

    private Set<MessageKey> reopen(Message... messages) {
        return commit(transaction -> transaction.reopen(consumer, keysOf(messages)));
    }

    @Test
    void deadLetteredMessageIsMovedFromWork() {
        Message message = message(0);
        receive(message);
        DeadLetter letter = deadLettered(only(), 1);
        run(transaction -> {
            take(transaction);
            transaction.deadLetter(consumer, List.of(letter));
        });
        fixture.advance(LATER);

        assertThat(available()).isEmpty();
        assertThat(fixture.deadLetters(consumer.name())).containsExactly(StoredMessage.of(letter));
        assertThat(claimed(keyOf(message)).claimed()).isEmpty();
    }

    @Test
    void deadLetterIsUndoneByARollback() {
        Message message = message(0);
        receive(message);
        try (InboxTransaction<C> transaction = begin()) {
            transaction.deadLetter(
                    consumer, List.of(deadLettered(take(transaction).get(0), 1)));
        }
        assertThat(available()).containsExactly(keyOf(message));
        assertThat(fixture.deadLetters(consumer.name())).isEmpty();
    }

    @Test
    void leasedMessageIsDeadLetteredByWhoeverHoldsIt() {
        receiveByLease(message(0));
        WorkItem item = leased();
        run(transaction -> {
            assertThat(transaction.hold(consumer, item)).isTrue();
            transaction.deadLetter(consumer, List.of(deadLettered(item, 1)));
        });
        fixture.advance(LEASE.multipliedBy(2));

        assertThat(takeExpired()).isEmpty();
        assertThat(fixture.deadLetters(consumer.name())).hasSize(1);
    }

    @Test
    void onlyDeadLettersAreSeenAgain() {
        Message dead = deadLetteredAfter(1);
        Message unseen = message(1);
        Message working = message(2);
        receive(working);
        for (int i = 0; i < 2; i++) {
            Set<MessageKey> seen =
                    commit(transaction -> transaction.seenAgain(consumer, keysOf(dead, unseen, working)));
            assertThat(seen).containsExactly(keyOf(dead));
        }
        assertThat(fixture.seenAgain(consumer.name(), keyOf(dead))).isEqualTo(2);
    }

    @Test
    void messageDeadLetteredTwiceIsSeenAgain() {
        Message message = message(0);
        DeadLetter letter = dead(message, DeadReason.LATE, false);
        run(transaction -> transaction.deadLetter(consumer, List.of(letter)));
        assertThat(fixture.seenAgain(consumer.name(), keyOf(message))).isZero();
        run(transaction -> transaction.deadLetter(consumer, List.of(letter)));
        run(transaction -> transaction.deadLetter(consumer, List.of(letter)));

        assertThat(fixture.seenAgain(consumer.name(), keyOf(message))).isEqualTo(2);
        assertThat(fixture.deadLetters(consumer.name())).hasSize(1);
    }

    @Test
    void deliveriesAtTheSameTimeAreAllCounted() throws Exception {
        Message dead = deadLetteredAfter(1);
        threads.together(4, thread -> {
            for (int i = 0; i < 10; i++) {
                run(transaction -> transaction.seenAgain(consumer, keysOf(dead)));
            }
            return thread;
        });
        assertThat(fixture.seenAgain(consumer.name(), keyOf(dead))).isEqualTo(40);
    }

    @Test
    void reopenedMessageHasANewBeginning() {
        Message message = deadLetteredAfter(3);
        fixture.advance(LATER);

        assertThat(reopen(message)).containsExactly(keyOf(message));
        WorkItem item = only();
        assertThat(item.key()).isEqualTo(keyOf(message));
        assertThat(item.message().payload()).isEqualTo(message.payload());
        assertThat(item.attempts()).isEqualTo(3);
        assertThat(item.retriedAttempts()).isEqualTo(3);
        assertThat(item.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        assertThat(fixture.deadLetters(consumer.name())).isEmpty();
    }

    @Test
    void reopenedMessageThatFailsAgainKeepsWhatWasRetried() {
        Message message = deadLetteredAfter(3);
        reopen(message);
        run(transaction ->
                transaction.postpone(consumer, List.of(failed(take(transaction).get(0), Duration.ZERO))));
        WorkItem item = only();

        assertThat(item.attempts()).isEqualTo(4);
        assertThat(item.retriedAttempts()).isEqualTo(3);
    }

    @Test
    void messageThatIsReopenedTakesItsOldPlace() {
        Message message = message(0);
        receive(message);
        long place = only().id();
        run(transaction -> transaction.deadLetter(
                consumer, List.of(deadLettered(take(transaction).get(0), 1))));
        receive(message(1));
        reopen(message);

        assertThat(takeable())
                .filteredOn(item -> item.key().equals(keyOf(message)))
                .extracting(WorkItem::id)
                .containsExactly(place);
    }

    @Test
    void onlyDeadLettersThatWereClaimedAreReopened() {
        Message claimed = deadLetteredAfter(1);
        Message unclaimed = message(1);
        Message unknown = message(2);
        run(transaction -> transaction.deadLetter(consumer, List.of(dead(unclaimed, DeadReason.LATE, false))));

        assertThat(reopen(claimed, unclaimed, unknown)).containsExactly(keyOf(claimed));
        assertThat(available()).containsExactly(keyOf(claimed));
        assertThat(fixture.deadLetters(consumer.name()))
                .extracting(StoredMessage::key)
                .containsExactly(keyOf(unclaimed));
        assertThat(reopen(claimed)).isEmpty();
    }

    @Test
    void deadLetterThatNeverWasInWorkIsReopened() {
        Message message = message(0);
        run(transaction -> {
            claimAll(transaction, List.of(message));
            transaction.deadLetter(consumer, List.of(dead(message, DeadReason.UNDECODABLE, true)));
        });
        assertThat(reopen(message)).containsExactly(keyOf(message));
        assertThat(available()).containsExactly(keyOf(message));
    }

    @Test
    void reopeningIsUndoneByARollback() {
        Message message = deadLetteredAfter(1);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.reopen(consumer, keysOf(message))).hasSize(1);
            assertThat(available()).isEmpty();
        }
        assertThat(available()).isEmpty();
        assertThat(fixture.deadLetters(consumer.name())).hasSize(1);
    }

    @Test
    void ofManyThatReopenADeadLetterOneDoes() throws Exception {
        Message message = deadLetteredAfter(1);
        List<Integer> reopened = threads.together(4, thread -> reopen(message).size());

        assertThat(reopened).containsExactlyInAnyOrder(1, 0, 0, 0);
        assertThat(available()).containsExactly(keyOf(message));
    }

    @Test
    void reopenedMessageDiesAgainInItsPlace() {
        Message message = deadLetteredAfter(1);
        reopen(message);
        long place = only().id();
        run(transaction -> transaction.deadLetter(
                consumer, List.of(deadLettered(take(transaction).get(0), 2))));
        assertThat(fixture.deadLetters(consumer.name()))
                .extracting(StoredMessage::attempts)
                .containsExactly(2);
        reopen(message);

        assertThat(only().id()).isEqualTo(place);
        assertThat(only().retriedAttempts()).isEqualTo(2);
    }

    @Test
    void leaseFromBeforeTheDeadLetterHoldsNothingAfterTheReopening() {
        Message message = message(0);
        receiveByLease(message);
        WorkItem old = leased();
        fixture.advance(LEASE.multipliedBy(2));
        run(transaction -> {
            WorkItem expired = transaction.takeExpired(consumer, ALL).get(0).item();
            transaction.deadLetter(consumer, List.of(deadLettered(expired, 1)));
        });
        reopen(message);
        WorkItem newest = leased();

        assertThat(newest.token()).isGreaterThan(old.token());
        run(transaction -> assertThat(transaction.hold(consumer, old)).isFalse());
        run(transaction -> assertThat(transaction.hold(consumer, newest)).isTrue());
    }
}
