package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.OnRedeliveredDeadLetter;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.inbox.Reception;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.retry.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A message that the database refuses to keep comes to an end too, and costs no other. */
abstract class RefusedWriteTests<C extends HandlerContext> extends FlowLab<C> {
    private static final Author ANN = new Author("ann", "let us see");
    private static final String POISON = "poison";

    RefusedWriteTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private void refuse(ErrorClass errorClass, String... writes) {
        store = RefusingStore.around(
                store,
                Set.of(writes),
                POISON,
                () -> new StoreException(errorClass, "the table does not take it", null));
    }

    private void assertOnlyPoisonIsDead(DeadReason reason) {
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b");
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(fixture.deadLetters(consumer))
                .extracting(StoredMessage::reason)
                .containsExactly(reason);
    }

    private List<Message> aPoisonB() {
        return List.of(message("a"), message(POISON), message("b"));
    }

    @Test
    @Tag("B-principle")
    void messageThatCannotBeParkedIsADeadLetter() {
        refuse(ErrorClass.MESSAGE, "park");
        fail(POISON, 9);

        assertThat(kinds(flow().build().process(aPoisonB())))
                .containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
        assertOnlyPoisonIsDead(DeadReason.NOT_STORED);
        assertThat(dead()).containsExactly("poison NOT_STORED");
    }

    @Test
    @Tag("B-principle")
    void messageWhoseBytesNoTableTakesIsABareDeadLetterWithSizeAndDigest() {
        refuse(ErrorClass.PERMANENT, "park", "deadLetter");
        fail(POISON, 9);
        Inbox<C> inbox =
                flow().onRedeliveredDeadLetter(OnRedeliveredDeadLetter.REQUEUE).build();
        List<Message> messages = aPoisonB();

        assertThat(kinds(inbox.process(messages))).containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
        assertOnlyPoisonIsDead(DeadReason.BYTES_NOT_STORED);
        Admin admin = Admin.of(fixture.adminStore());
        DeadLetterEntry letter = admin.deadLetters(DeadLetterFilter.of(consumer), PageRequest.first(10))
                .entries()
                .get(0);
        assertThat(letter.message().id()).isEqualTo(messages.get(1).id());
        assertThat(letter.detail())
                .contains("6 bytes")
                .contains("SHA-256 5743abddddfa08c1e3a99fdebc2e8f3f1108fa12dcd2a8f58a42f141418c22ec")
                .contains("the table does not take it");

        assertThat(inbox.process(messages.get(1)).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(inbox.work()).isZero();
        assertThat(admin.requeue(consumer, keyOf(inbox, messages.get(1)), Requeue.atOnce(), ANN)
                        .kind())
                .isEqualTo(Answer.Kind.REFUSED);
        assertOnlyPoisonIsDead(DeadReason.BYTES_NOT_STORED);
    }

    @Test
    @Tag("B-principle")
    void messageThatCannotBeReceivedIsADeadLetter() {
        refuse(ErrorClass.MESSAGE, "receive");
        Inbox<C> inbox = flow().reception(Reception.STORE).build();

        assertThat(kinds(inbox.process(aPoisonB()))).containsExactly(Kind.RECEIVED, Kind.DEAD, Kind.RECEIVED);
        inbox.work();
        assertOnlyPoisonIsDead(DeadReason.NOT_STORED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("B-principle")
    void messageInWorkThatCannotBeFinishedIsADeadLetter(boolean deadLetterToo) {
        refuse(ErrorClass.MESSAGE, deadLetterToo ? new String[] {"deadLetter", "postpone"} : new String[] {"finish"});
        fail(POISON, deadLetterToo ? 9 : 0);
        Inbox<C> inbox = flow().reception(Reception.STORE).build();
        inbox.process(aPoisonB());
        inbox.work();

        assertOnlyPoisonIsDead(deadLetterToo ? DeadReason.BYTES_NOT_STORED : DeadReason.NOT_STORED);
        assertThat(workLater(inbox)).isZero();
    }

    @Test
    @Tag("B-principle")
    void leasedMessageThatCannotBeFinishedIsADeadLetter() {
        refuse(ErrorClass.MESSAGE, "finish");
        Inbox<C> inbox = builder()
                .handleExternal(
                        TYPE, PayloadDecoder.text(), (payload, context) -> database -> fixture.write(database, payload))
                .build();
        inbox.process(aPoisonB());
        inbox.work();

        assertOnlyPoisonIsDead(DeadReason.NOT_STORED);
    }

    @Test
    @Tag("B-principle")
    void leasedMessageThatFailsAndCannotBeKeptIsADeadLetter() {
        refuse(ErrorClass.MESSAGE, "postpone");
        fail(POISON, 9);
        Inbox<C> inbox = builder()
                .retry(RETRY)
                .handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> {
                    failIfItMust(payload);
                    return (Completion<C>) database -> fixture.write(database, payload);
                })
                .build();
        inbox.process(aPoisonB());
        inbox.work();

        assertOnlyPoisonIsDead(DeadReason.NOT_STORED);
    }

    private static void failIfItMust(String payload) {
        if (payload.equals(POISON)) {
            throw new IllegalStateException("no");
        }
    }

    @Test
    @Tag("B-principle")
    void unusableMessageThatCannotBeDeadLetteredIsABareDeadLetter() {
        refuse(ErrorClass.MESSAGE, "deadLetter");
        Message unusable = Message.builder("notes").type(TYPE).payload(POISON).build();

        assertThat(kinds(flow().build().process(List.of(message("a"), unusable, message("b")))))
                .containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.PROCESSED);
        assertOnlyPoisonIsDead(DeadReason.BYTES_NOT_STORED);
        assertThat(fixture.deadLetters(consumer).get(0).claimed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"park", "receive", "postpone"})
    @Tag("B-principle")
    void messageThatIsRefusedAtTheCommitIsADeadLetter(String write) {
        refuse(ErrorClass.MESSAGE, "commit after " + write);
        fail(POISON, write.equals("receive") ? 0 : 9);
        boolean inWork = !write.equals("park");
        Inbox<C> inbox =
                flow().reception(inWork ? Reception.STORE : Reception.INLINE).build();
        inbox.process(aPoisonB());
        inbox.work();

        assertOnlyPoisonIsDead(DeadReason.NOT_STORED);
    }

    @ParameterizedTest
    @EnumSource(names = {"MESSAGE", "PERMANENT"})
    @Tag("B-principle")
    void deadLetterThatWorkDoesNotTakeStaysDeadAndCostsNoOther(ErrorClass errorClass) {
        refuse(errorClass, "reopen");
        fail("again", 1);
        fail(POISON, 1);
        Inbox<C> inbox = flow().retry(RetryPolicy.never())
                .onRedeliveredDeadLetter(OnRedeliveredDeadLetter.REQUEUE)
                .build();
        List<Message> messages = List.of(message("a"), message(POISON), message("again"), message("b"));
        inbox.process(messages.subList(1, 3));
        assertThat(dead()).hasSize(2);

        assertThat(kinds(inbox.process(messages)))
                .containsExactly(Kind.PROCESSED, Kind.DUPLICATE, Kind.DUPLICATE, Kind.PROCESSED);
        assertThat(dead()).containsExactly("poison RETRIES_EXHAUSTED");
        inbox.work();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b", "again");
        assertThat(inbox.process(messages.get(1)).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(dead()).containsExactly("poison RETRIES_EXHAUSTED");
    }

    @ParameterizedTest
    @EnumSource(names = {"RETRY_NOW", "UNAVAILABLE", "ABORTED", "UNKNOWN"})
    @Tag("B-principle")
    void refusalThatIsNoMessagesFaultMakesNoDeadLetter(ErrorClass errorClass) {
        var sound = store;
        refuse(errorClass, "park", "deadLetter");
        fail(POISON, 1);
        Inbox<C> refusing = flow().build();
        List<Message> messages = aPoisonB();

        assertThatThrownBy(() -> refusing.process(messages)).isInstanceOf(RetryableException.class);
        assertThat(fixture.deadLetters(consumer)).isEmpty();

        store = sound;
        assertThat(kinds(flow().build().process(messages)))
                .contains(Kind.PARKED)
                .doesNotContain(Kind.DEAD);
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a", "b");
    }

    /** Bytes at random, so that no index makes them small. */
    private static byte[] longKey() {
        byte[] key = new byte[4_000];
        new Random(42).nextBytes(key);
        return key;
    }

    @Test
    @Tag("B4")
    void unusableMessageWithAVeryLongOrderingKeyIsADeadLetterThatBlocksNothing() {
        Inbox<C> inbox = ordered(KeyOrder.BLOCK_ON_DEAD_LETTERS).build();
        Message unusable = Message.builder("notes")
                .id((MessageId) null)
                .type(TYPE)
                .orderingKey(longKey())
                .payload("x")
                .build();

        assertThat(kinds(inbox.process(List.of(message("a"), unusable)))).containsExactly(Kind.PROCESSED, Kind.DEAD);
        assertThat(dead()).containsExactly("x NO_ID");
    }

    @Test
    @Tag("B4")
    void letterWithAVeryLongOrderingKeyIsRequeuedWithTheOthers() {
        Inbox<C> inbox = ordered(KeyOrder.BLOCK_ON_DEAD_LETTERS).build();
        Message tooLong = Message.builder("notes")
                .id(Ids.opaque())
                .type(TYPE)
                .orderingKey(longKey())
                .payload("x")
                .build();
        Message unreadable = Message.builder("notes")
                .id(Ids.opaque())
                .type(TYPE)
                .orderingKey("k")
                .payload("y".getBytes(StandardCharsets.UTF_8))
                .defect("no base64")
                .build();
        inbox.process(List.of(tooLong, unreadable));
        assertThat(dead()).containsExactlyInAnyOrder("x ORDERING_KEY_TOO_LONG", "y UNDECODABLE");

        Admin admin = Admin.of(fixture.adminStore());
        assertThat(admin.requeue(admin.select(DeadLetterFilter.of(consumer)), Requeue.atOnce(), ANN)
                        .requeued())
                .isEqualTo(2);
        inbox.work();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("x", "y");
    }
}
