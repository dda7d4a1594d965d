package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Everything of a transaction or nothing. */
abstract class TransactionTests<C extends HandlerContext> extends StoreLab<C> {
    TransactionTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void committedTransactionLeavesAllThatItDid() {
        Message processed = message(0);
        Message failed = message(1);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, sorted(keyOf(processed), keyOf(failed)));
            fixture.write(context(transaction, processed), "written");
            fixture.defer(context(transaction, processed), "deferred");
            transaction.flush();
            transaction.park(consumer, List.of(parked(failed)));
            transaction.commit();
        }
        assertThat(fixture.effects()).containsExactlyInAnyOrder("written", "deferred");
        assertThat(fixture.parked(consumer.name())).containsExactly(StoredMessage.of(parked(failed)));
    }

    @Test
    void transactionClosedWithoutCommitLeavesNothing() {
        Message processed = message(0);
        Message failed = message(1);
        Message dead = message(2);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, sorted(keyOf(processed), keyOf(failed), keyOf(dead)));
            fixture.write(context(transaction, processed), "written");
            fixture.defer(context(transaction, processed), "deferred");
            transaction.flush();
            transaction.park(consumer, List.of(parked(failed)));
            transaction.deadLetter(consumer, List.of(dead(dead, DeadReason.PERMANENT_FAILURE, true)));
        }
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer.name())).isEmpty();
        assertThat(fixture.deadLetters(consumer.name())).isEmpty();
        assertThat(claimed(sorted(keyOf(processed), keyOf(failed), keyOf(dead))).claimed())
                .hasSize(3);
    }

    @Test
    void effectsAreInvisibleBeforeTheCommit() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, keyOf(message));
            fixture.write(context(transaction, message), "written");
            assertThat(fixture.effects()).isEmpty();
            transaction.commit();
        }
        assertThat(fixture.effects()).containsExactly("written");
    }

    @Test
    void deferredWritesThatWereNotFlushedAreNotLost() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, keyOf(message));
            fixture.defer(context(transaction, message), "deferred");
            transaction.commit();
        }
        assertThat(fixture.effects()).containsExactly("deferred");
    }

    @Test
    void rollbackToSavepointUndoesOnlyWhatCameAfterIt() {
        Message kept = message(0);
        Message undone = message(1);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, sorted(keyOf(kept), keyOf(undone)));
            fixture.write(context(transaction, kept), "kept");
            transaction.savepoint();
            fixture.write(context(transaction, undone), "undone");
            fixture.defer(context(transaction, undone), "undone, deferred");
            transaction.rollbackToSavepoint();
            transaction.park(consumer, List.of(parked(undone)));
            transaction.commit();
        }
        assertThat(fixture.effects()).containsExactly("kept");
        assertThat(fixture.parked(consumer.name())).containsExactly(StoredMessage.of(parked(undone)));
    }

    @Test
    void claimsAfterTheSavepointAreUndoneWithIt() {
        MessageKey before = key(0);
        MessageKey after = key(1);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, before);
            transaction.savepoint();
            claim(transaction, after);
            transaction.rollbackToSavepoint();
            transaction.commit();
        }
        assertThat(claimed(before).claimed()).isEmpty();
        assertThat(claimed(after).claimed()).containsExactly(after);
    }

    @Test
    void secondSavepointReleasesTheFirst() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, keyOf(message));
            C context = context(transaction, message);
            transaction.savepoint();
            fixture.write(context, "first");
            transaction.savepoint();
            fixture.write(context, "second");
            transaction.rollbackToSavepoint();
            fixture.write(context, "third");
            transaction.rollbackToSavepoint();
            fixture.write(context, "fourth");
            transaction.commit();
        }
        assertThat(fixture.effects()).containsExactlyInAnyOrder("first", "fourth");
    }

    @Test
    void manySavepointsInOneTransactionAreNoTrouble() {
        List<MessageKey> keys = keys(100);
        try (InboxTransaction<C> transaction = begin()) {
            for (int i = 0; i < keys.size(); i++) {
                transaction.savepoint();
                claim(transaction, keys.get(i));
                if (i % 2 == 1) {
                    transaction.rollbackToSavepoint();
                }
            }
            transaction.checkConstraints();
            transaction.commit();
        }
        assertThat(claimed(keys.toArray(MessageKey[]::new)).claimed()).hasSize(50);
    }

    @Test
    void closeAfterCommitChangesNothing() {
        MessageKey key = key(0);
        InboxTransaction<C> transaction = begin();
        try (transaction) {
            claim(transaction, key);
            transaction.commit();
        }
        transaction.close();
        assertThat(claimed(key).claimed()).isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> transactionThatWasIdleForTooLongCannotCommitAndHoldsNothing() {
        return whereIdleTransactionsEnd(() -> {
            MessageKey key = key(0);
            try (InboxTransaction<C> idle = store.begin(Duration.ofMillis(100))) {
                claim(idle, key);
                assertThat(claimed(key).claimed()).containsExactly(key);
                assertThatThrownBy(idle::commit).isInstanceOf(RuntimeException.class);
            }
            assertThat(claimed(key).claimed()).isEmpty();
        });
    }

    @Test
    void transactionThatIsUsedStaysAlive() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = store.begin(Duration.ofSeconds(30))) {
            claim(transaction, keyOf(message));
            fixture.write(context(transaction, message), "written");
            transaction.commit();
        }
        assertThat(fixture.effects()).containsExactly("written");
    }

    @Test
    void contextKnowsItsMessage() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, keyOf(message));
            C context = transaction.context(consumer, keyOf(message), message, 3);
            assertThat(context.message()).isSameAs(message);
            assertThat(context.attempt()).isEqualTo(3);
            assertThat(context.idempotencyKey("charge"))
                    .matches("[0-9a-f]{32}")
                    .isEqualTo(context(transaction, message).idempotencyKey("charge"))
                    .isNotEqualTo(context.idempotencyKey("refund"))
                    .isNotEqualTo(context(transaction, message(1)).idempotencyKey("charge"));
        }
    }

    @Test
    void errorsAreClassified() {
        assertThat(store.classify(new PermanentFailure("never"))).isEqualTo(ErrorClass.PERMANENT);
        assertThat(store.classify(new IllegalStateException("wrapped", new PermanentFailure("never"))))
                .isEqualTo(ErrorClass.PERMANENT);
        assertThat(store.classify(new IllegalStateException("own bug"))).isIn(ErrorClass.MESSAGE, ErrorClass.UNKNOWN);
        assertThat(store.classify(new StackOverflowError())).isIn(ErrorClass.MESSAGE, ErrorClass.UNKNOWN);
        assertThat(store.classify(new StoreUnavailableException("away", null))).isEqualTo(ErrorClass.UNAVAILABLE);
        for (ErrorClass errorClass : ErrorClass.values()) {
            assertThat(store.classify(new StoreException(errorClass, "refused", null)))
                    .isEqualTo(errorClass);
        }
    }

    @Test
    void storeThatIsThereAnswersTheProbe() {
        store.probe();
        store.maintain();
        store.maintain();
    }

    static MessageKey[] sorted(MessageKey... keys) {
        return List.of(keys).stream().sorted().toArray(MessageKey[]::new);
    }
}
