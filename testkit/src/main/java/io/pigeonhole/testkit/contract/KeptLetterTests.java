package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Dead letters are neither destroyed nor merged, whatever becomes of their messages afterwards. */
abstract class KeptLetterTests<C extends HandlerContext> extends FlowLab<C> {
    private static final Author ANN = new Author("ann", "its day has come");

    KeptLetterTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** As a message is given up on whose day the ledger does not have yet; the day comes at once. */
    private void diedBeforeItsDay(Inbox<C> inbox, Message message) {
        DeadLetter letter =
                new DeadLetter(keyOf(inbox, message), message, DeadReason.FROM_THE_FUTURE, "too early", false, null);
        try (InboxTransaction<C> transaction = fixture.store().begin(Duration.ofMinutes(1))) {
            transaction.deadLetter(inbox.registered(), List.of(letter));
            transaction.commit();
        }
    }

    private Answer.Kind requeue(Inbox<C> inbox, Message message) {
        return Admin.of(fixture.adminStore())
                .requeue(consumer, keyOf(inbox, message), Requeue.atOnce(), ANN)
                .kind();
    }

    private void assertClaimed(DeadReason reason, int attempts) {
        assertThat(fixture.deadLetters(consumer)).hasSize(1).first().satisfies(letter -> {
            assertThat(letter.reason()).isEqualTo(reason);
            assertThat(letter.claimed()).isTrue();
            assertThat(letter.attempts()).isEqualTo(attempts);
        });
    }

    @Test
    @Tag("A4")
    void letterFromTheFutureWhoseMessageDiesAtItsFirstAttemptCanBeRequeued() {
        Inbox<C> inbox = flow().retry(RETRY.maxAttempts(1)).build();
        Message message = message("x");
        fail("x", 1);
        diedBeforeItsDay(inbox, message);

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DEAD);
        assertClaimed(DeadReason.RETRIES_EXHAUSTED, 1);
        assertThat(fixture.seenAgain(consumer, keyOf(inbox, message))).isEqualTo(1);
        assertThat(fixture.attempts(consumer, keyOf(inbox, message))).hasSize(1);

        assertThat(requeue(inbox, message)).isEqualTo(Answer.Kind.DONE);
        inbox.work();
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    @Test
    @Tag("A4")
    void letterFromTheFutureWhoseMessageDiesInWorkCanBeRequeued() {
        Inbox<C> inbox = flow().retry(RETRY.maxAttempts(2)).build();
        Message message = message("x");
        fail("x", 2);
        diedBeforeItsDay(inbox, message);

        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PARKED);
        workLater(inbox);
        assertClaimed(DeadReason.RETRIES_EXHAUSTED, 2);

        assertThat(requeue(inbox, message)).isEqualTo(Answer.Kind.DONE);
        inbox.work();
        assertThat(fixture.effects()).containsExactly("x");
        assertThat(fixture.deadLetters(consumer)).isEmpty();
    }

    @Test
    @Tag("A4")
    void letterFromTheFutureWhoseMessageIsInWorkIsRemovedAndTheMessageStays() {
        Inbox<C> inbox = flow().build();
        Message message = message("x");
        fail("x", 1);
        diedBeforeItsDay(inbox, message);
        inbox.process(message);

        assertThat(requeue(inbox, message)).isEqualTo(Answer.Kind.DUPLICATE);
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        workLater(inbox);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("A4")
    void letterFromTheFutureWhoseMessageIsSkippedInWorkCanBeRequeued() {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS).build();
        Message message = ofKey("k", "x");
        fail("x", 1);
        diedBeforeItsDay(inbox, message);
        inbox.process(message);

        Admin.of(fixture.adminStore()).unblock(consumer, OrderingKey.of(new byte[] {'k'}), ANN);
        assertThat(dead()).containsExactly("x SKIPPED");
        assertThat(requeue(inbox, message)).isEqualTo(Answer.Kind.DONE);
        inbox.work();
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    @Tag("A2")
    void unusableMessagesWithDifferentIdsAreAllKeptAlthoughTheySayTheSameAtTheSamePlace() {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS).build();
        String origin = Ids.opaque();
        List<Message> messages = new ArrayList<>();
        for (String end : List.of("a", "b")) {
            Message.Builder same =
                    Message.builder("notes").type(TYPE).payload("same").origin(origin);
            messages.add(same.id("x".repeat(5_000) + end).build());
            messages.add(same.id(Ids.opaque()).defect("no base64").build());
            messages.add(same.id(Ids.opaque()).orderingKey("k".repeat(2_000)).build());
        }

        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.DEAD);
        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.DEAD);
        assertThat(fixture.deadLetters(consumer))
                .extracting(StoredMessage::id)
                .containsExactlyInAnyOrderElementsOf(
                        messages.stream().map(Message::id).toList());
    }
}
