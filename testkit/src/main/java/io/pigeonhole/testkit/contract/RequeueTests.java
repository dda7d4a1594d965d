package io.pigeonhole.testkit.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer.Kind;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A dead letter that goes back to work. */
abstract class RequeueTests<C extends HandlerContext> extends AdminLab<C> {
    RequeueTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private Kind requeue(MessageKey key) {
        return admin.requeue(name(), key, Requeue.atOnce(), ANN).kind();
    }

    private Kind requeueEvenIfLate(MessageKey key) {
        return admin.requeue(name(), key, Requeue.atOnce().withLate(), ANN).kind();
    }

    @Test
    void requeuedLetterIsDueWithANewBeginning() {
        Message message = message(0);
        deadLetter(message);
        fixture.advance(LATER);

        assertThat(requeue(keyOf(message))).isEqualTo(Kind.DONE);
        WorkItem item = only();
        assertThat(item.key()).isEqualTo(keyOf(message));
        assertThat(item.message().payload()).isEqualTo(message.payload());
        assertThat(item.attempts()).isEqualTo(1);
        assertThat(item.retriedAttempts()).isEqualTo(1);
        assertThat(item.age()).isLessThan(Duration.ofMinutes(1));
        assertThat(letters()).isEmpty();
        assertThat(work().get(0).lastError()).isNull();
        assertThat(actions()).containsExactly(AdminAction.REQUEUE);
    }

    @Test
    void secondRequeueFindsNothing() {
        Message message = message(0);
        deadLetter(message);
        requeue(keyOf(message));

        assertThat(requeue(keyOf(message))).isEqualTo(Kind.NOT_FOUND);
        assertThat(work()).hasSize(1);
        assertThat(actions()).hasSize(1);
    }

    @Test
    void manyRequeuesAtOnceMoveALetterOnce() throws Exception {
        Message message = message(0);
        deadLetterUnclaimed(message, DeadReason.TOO_LARGE);

        List<Kind> answers = threads.together(4, thread -> requeue(keyOf(message)));
        assertThat(answers).filteredOn(Kind.DONE::equals).hasSize(1);
        assertThat(answers).filteredOn(Kind.NOT_FOUND::equals).hasSize(3);
        assertThat(actions()).hasSize(1);
    }

    @Test
    void requeuedLetterComesBeforeThoseThatWaitedBehindIt() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        Message dead = ofKey("k");
        Message behind = ofKey("k");
        deadLetter(dead);
        receive(behind);
        assertThat(available()).isEmpty();

        assertThat(requeue(keyOf(dead))).isEqualTo(Kind.DONE);
        assertThat(available()).containsExactly(keyOf(dead), keyOf(behind));
    }

    @Test
    void lettersWithAnOrderAreBusyWhileTheirWorkPartitionIsLocked() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        Message dead = ofKey("k");
        deadLetter(dead);
        try (InboxTransaction<C> transaction = begin()) {
            transaction.lock(consumer, List.of(0), SHORT);
            assertThat(requeue(keyOf(dead))).isEqualTo(Kind.BUSY);
        }
        assertThat(deadKeys()).containsExactly(keyOf(dead));
        assertThat(audit()).isEmpty();
        assertThat(requeue(keyOf(dead))).isEqualTo(Kind.DONE);
    }

    @Test
    void letterThatWasNeverClaimedIsClaimed() {
        Message message = message(0);
        deadLetterUnclaimed(message, DeadReason.TOO_LARGE);

        assertThat(requeue(keyOf(message))).isEqualTo(Kind.DONE);
        assertThat(available()).containsExactly(keyOf(message));
        assertThat(claimed(keyOf(message)).claimed()).isEmpty();
    }

    @Test
    void letterWithoutIdIsClaimedByItsPlace() {
        Message message = Message.builder("notes")
                .type("note")
                .origin(Ids.opaque())
                .payload("no id")
                .build();
        MessageKey key = KeyScheme.keyOfOrigin(message.source(), requireNonNull(message.origin()), message.payload());
        DeadLetter letter = new DeadLetter(key, message, DeadReason.NO_ID, "it has no id", false, null);
        run(transaction -> transaction.deadLetter(consumer, List.of(letter)));

        assertThat(requeue(key)).isEqualTo(Kind.DONE);
        assertThat(only().message().id()).isNull();

        // Delivered once more from the same place it dies again, but it has taken effect by now.
        run(transaction -> transaction.finish(consumer, take(transaction)));
        run(transaction -> transaction.deadLetter(consumer, List.of(letter)));
        assertThat(requeue(key)).isEqualTo(Kind.DUPLICATE);
        assertThat(work()).isEmpty();
    }

    @Test
    void letterWhoseMessageWasAcceptedSinceIsRemoved() {
        Message message = message(0);
        deadLetterUnclaimed(message, DeadReason.TOO_LARGE);
        claimed(keyOf(message));

        assertThat(requeue(keyOf(message))).isEqualTo(Kind.DUPLICATE);
        assertThat(letters()).isEmpty();
        assertThat(work()).isEmpty();
        assertThat(actions()).containsExactly(AdminAction.REQUEUE);
    }

    @Test
    void letterWhoseMessageIsBeingAcceptedIsBusy() {
        Message message = message(1);
        deadLetterUnclaimed(message, DeadReason.TOO_LARGE);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, keyOf(message));
            assertThat(requeue(keyOf(message))).isEqualTo(Kind.BUSY);
        }
        assertThat(requeue(keyOf(message))).isEqualTo(Kind.DONE);
    }

    @Test
    void lateLetterStaysDeadUnlessItIsAskedForExplicitly() {
        Message message = message(Ids.timeOrdered(Ids.now().plusSeconds(1)));
        deadLetterUnclaimed(message, DeadReason.LATE);
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));

        assertThat(requeue(keyOf(message))).isEqualTo(Kind.LATE);
        assertThat(deadKeys()).containsExactly(keyOf(message));
        assertThat(audit()).isEmpty();

        assertThat(requeueEvenIfLate(keyOf(message))).isEqualTo(Kind.DONE);
        assertThat(available()).containsExactly(keyOf(message));
        assertThat(letters()).isEmpty();
    }

    @Test
    void letterFromTheFutureStaysDead() {
        Message message = message(Ids.timeOrdered(fixture.beyondTheLedger().plus(Duration.ofDays(1))));
        deadLetterUnclaimed(message, DeadReason.FROM_THE_FUTURE);

        assertThat(requeue(keyOf(message))).isEqualTo(Kind.FROM_THE_FUTURE);
        assertThat(requeueEvenIfLate(keyOf(message))).isEqualTo(Kind.FROM_THE_FUTURE);
        assertThat(deadKeys()).containsExactly(keyOf(message));
        assertThat(audit()).isEmpty();
    }

    @Test
    void messageInWorkIsNoDeadLetter() {
        assertThat(requeue(keyOf(received(1).get(0)))).isEqualTo(Kind.NOT_FOUND);
    }
}
