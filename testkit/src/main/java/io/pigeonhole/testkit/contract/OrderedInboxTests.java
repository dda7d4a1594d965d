package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.OnRedeliveredDeadLetter;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The messages of an ordering key take effect in the order of their arrival, whatever fails. */
abstract class OrderedInboxTests<C extends HandlerContext> extends FlowLab<C> {
    OrderedInboxTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private Inbox<C> past() {
        return external(ordered(KeyOrder.SKIP_DEAD_LETTERS)).build();
    }

    private InboxBuilder<C> external(InboxBuilder<C> builder) {
        return builder.handleExternal("call", PayloadDecoder.text(), (payload, context) -> {
            failIfItMust(payload, context);
            Completion<C> completion = each -> fixture.write(each, payload);
            return completion;
        });
    }

    /** Neighbours are of different keys, so that a batch of many of them has each key in all its chunks. */
    private static List<Message> manyOf(int each, String... keys) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            for (String key : keys) {
                messages.add(ofKey(key, key + i));
            }
        }
        return messages;
    }

    private static List<String> numbered(String key, int count) {
        return manyOf(count, key).stream().map(InboxLab::payload).toList();
    }

    @Test
    void failedMessageHoldsBackItsKeyAndNoOther() {
        Inbox<C> inbox = past();
        fail("a1", 1);

        assertThat(kinds(inbox.process(keyed("a0", "a1", "a2", "b0"))))
                .containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.RECEIVED, Kind.PROCESSED);
        assertThat(kinds(inbox.process(keyed("a3", "b1")))).containsExactly(Kind.RECEIVED, Kind.PROCESSED);
        assertThat(inbox.work()).isZero();
        assertThat(workLater(inbox)).isEqualTo(3);
        assertThat(effectsOf("a")).containsExactly("a0", "a1", "a2", "a3");
        assertThat(kinds(inbox.process(keyed("a4")))).containsExactly(Kind.PROCESSED);
    }

    @Test
    @Tag("C1")
    @Tag("full")
    void messagesOfAWorkPartitionThatAnotherTransactionIsAtWorkInAreBusyAndTheOthersAreProcessed() {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS)
                .concurrentDuplicateTimeout(Duration.ofMillis(1))
                .build();
        List<Message> messages = keyed("a1", "d1", "a2", "d2"); // In two work partitions.
        try (InboxTransaction<C> other = store.begin(Duration.ofMinutes(1))) {
            int workPartition = inbox.registered().workPartitionOf(messages.get(0), keyOf(inbox, messages.get(0)));
            other.lock(inbox.registered(), List.of(workPartition), Duration.ofSeconds(1));

            assertThat(kinds(inbox.process(messages)))
                    .containsExactly(Kind.BUSY, Kind.PROCESSED, Kind.BUSY, Kind.PROCESSED);
        }
        assertThat(kinds(inbox.process(messages)))
                .containsExactly(Kind.PROCESSED, Kind.DUPLICATE, Kind.PROCESSED, Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("d1", "d2", "a1", "a2");
    }

    @Test
    void messagesWithoutAnOrderingKeyAreFree() {
        Inbox<C> inbox = past();
        fail("a0", 1);
        fail("x", 1);

        assertThat(kinds(inbox.process(List.of(ofKey("a", "a0"), message("x"), message("y"), ofKey("a", "a1")))))
                .containsExactly(Kind.PARKED, Kind.PARKED, Kind.PROCESSED, Kind.RECEIVED);
    }

    @Test
    void twoFailingKeysInOneBatchKeepTheirOrder() {
        Inbox<C> inbox = past();
        fail("a0", 1);
        fail("b1", 2);

        inbox.process(manyOf(40, "a", "b", "c"));
        assertThat(effectsOf("c")).containsExactlyElementsOf(numbered("c", 40));
        assertThat(effectsOf("a")).isEmpty();
        workLater(inbox);
        assertThat(effectsOf("a")).containsExactlyElementsOf(numbered("a", 40));
        assertThat(effectsOf("b")).containsExactly("b0");
        workLater(inbox);
        assertThat(effectsOf("b")).containsExactlyElementsOf(numbered("b", 40));
    }

    @Test
    void batchOfAWorkerThatIsTakenApartKeepsTheOrder() {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS).workPartitions(1).build();
        fail("a0", 1);
        fail("b1", 1);
        inbox.receive(manyOf(40, "a", "b", "c"));

        inbox.work();
        assertThat(effectsOf("a")).isEmpty();
        assertThat(effectsOf("b")).containsExactly("b0");
        workLater(inbox);
        for (String key : List.of("a", "b", "c")) {
            assertThat(effectsOf(key)).containsExactlyElementsOf(numbered(key, 40));
        }
    }

    @Test
    void messageThatIsDueAgainAtOnceHoldsBackItsKeyInTheNextChunkToo() {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS)
                .workPartitions(1)
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .build();
        fail("a0", 1);
        fail("b1", 1);
        inbox.receive(manyOf(40, "a", "b", "c"));

        inbox.work();
        for (String key : List.of("a", "b", "c")) {
            assertThat(effectsOf(key)).containsExactlyElementsOf(numbered(key, 40));
        }
    }

    @Test
    void listHandlerThatFailsKeepsTheOrder() {
        Inbox<C> inbox = builder()
                .handleBatch(
                        TYPE, PayloadDecoder.text(), list -> list.forEach(each -> run(each.payload(), each.context())))
                .retry(RETRY)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .build();
        fail("a1", 1);
        fail("b0", 1);

        inbox.process(manyOf(20, "a", "b"));
        assertThat(fixture.effects()).containsExactly("a0");
        workLater(inbox);
        assertThat(effectsOf("a")).containsExactlyElementsOf(numbered("a", 20));
        assertThat(effectsOf("b")).containsExactlyElementsOf(numbered("b", 20));
    }

    @Test
    void externalMessageInTheMiddleOfAKeyKeepsItsPlace() {
        Inbox<C> inbox = past();

        assertThat(kinds(inbox.process(List.of(ofKey("a", "a0"), typed("a", "call", "a1"), ofKey("a", "a2")))))
                .containsExactly(Kind.PROCESSED, Kind.RECEIVED, Kind.RECEIVED);
        inbox.work();
        assertThat(effectsOf("a")).containsExactly("a0", "a1", "a2");
    }

    @Test
    void messageThatIsStoredForALeaseDoesNotHoldBackThoseBeforeIt() {
        Inbox<C> inbox = past();
        fail("b0", 1);
        fail("c0", 1);
        List<Message> messages = List.of(
                ofKey("b", "b0"), ofKey("c", "c0"), ofKey("a", "a0"), ofKey("a", "a1"), typed("a", "call", "a2"));

        assertThat(kinds(inbox.process(messages)))
                .containsExactly(Kind.PARKED, Kind.PARKED, Kind.PROCESSED, Kind.PROCESSED, Kind.RECEIVED);
    }

    @Test
    void whatIsStoredBehindAFailureKeepsItsPlaceBeforeWhatIsStoredForALease() {
        Inbox<C> inbox = past();
        fail("a0", 1);
        fail("b0", 1);
        inbox.process(List.of(
                ofKey("a", "a0"),
                ofKey("a", "a1"),
                typed("a", "call", "a2"),
                ofKey("a", "a3"),
                ofKey("b", "b0"),
                ofKey("a", "a4")));

        workLater(inbox);
        assertThat(effectsOf("a")).containsExactly("a0", "a1", "a2", "a3", "a4");
    }

    @Test
    void deadLetterBehindAFailedMessageDoesNotBlockIt() {
        Inbox<C> inbox = ordered(KeyOrder.BLOCK_ON_DEAD_LETTERS).build();
        fail("a0", 1);
        fail("b0", 1);
        inbox.process(List.of(ofKey("a", "a0"), typed("a", "unknown", "a1"), ofKey("b", "b0"), ofKey("a", "a2")));

        workLater(inbox);
        assertThat(dead()).containsExactly("a1 UNKNOWN_TYPE");
        assertThat(fixture.effects()).containsExactlyInAnyOrder("a0", "b0");
    }

    @Test
    void deadLetterLetsItsKeyGoOnOrBlocksIt() {
        for (KeyOrder order : List.of(KeyOrder.SKIP_DEAD_LETTERS, KeyOrder.BLOCK_ON_DEAD_LETTERS)) {
            consumer = randomName();
            Inbox<C> inbox = builder((payload, context) -> {
                        run(payload, context);
                        if (payload.endsWith("0")) {
                            throw new PermanentFailure("never");
                        }
                    })
                    .order(order)
                    .build();
            Kind behind = order == KeyOrder.SKIP_DEAD_LETTERS ? Kind.PROCESSED : Kind.RECEIVED;
            assertThat(kinds(inbox.process(keyed("a0", "a1", "b1"))))
                    .as("%s", order)
                    .containsExactly(Kind.DEAD, behind, Kind.PROCESSED);
            assertThat(kinds(inbox.process(keyed("a2")))).containsExactly(behind);
            assertThat(workLater(inbox)).isZero();
        }
    }

    @Test
    void messageBehindAReopenedOneOfItsKeyWaitsForIt() {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS)
                .retry(RETRY.maxAttempts(1))
                .onRedeliveredDeadLetter(OnRedeliveredDeadLetter.REQUEUE)
                .build();
        fail("a0", 1);
        Message first = ofKey("a", "a0");
        inbox.process(first);

        assertThat(kinds(inbox.process(List.of(first, ofKey("a", "a1")))))
                .containsExactly(Kind.DUPLICATE, Kind.RECEIVED);
        inbox.work();
        assertThat(effectsOf("a")).containsExactly("a0", "a1");
    }

    @Test
    void messagesBehindABusyOneAreBusyAndNothingOfThemIsClaimed() {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS)
                .concurrentDuplicateTimeout(Duration.ofMillis(50))
                .build();
        List<Message> messages = keyed("a0", "b0", "a1", "a2", "b1");
        try (CallersTransaction other = fixture.begin()) {
            assertThat(inbox.claim(messages.get(0), other.ledger())).isTrue();
            assertThat(kinds(inbox.process(messages)))
                    .containsExactly(Kind.BUSY, Kind.PROCESSED, Kind.BUSY, Kind.BUSY, Kind.PROCESSED);
        }
        assertThat(kinds(inbox.process(messages)))
                .containsExactly(Kind.PROCESSED, Kind.DUPLICATE, Kind.PROCESSED, Kind.PROCESSED, Kind.DUPLICATE);
        assertThat(effectsOf("a")).containsExactly("a0", "a1", "a2");
    }

    /** Such as behind the message of a node that is being closed, whose partition has gone to this one. */
    @Test
    void messageBehindABusyOneOfItsKeyWaitsForItWithoutAnOrderPerKeyToo() {
        Inbox<C> inbox = ordered(KeyOrder.NONE)
                .concurrentDuplicateTimeout(Duration.ofMillis(50))
                .build();
        List<Message> messages = keyed("a0", "b0", "a1");
        try (CallersTransaction other = fixture.begin()) {
            assertThat(inbox.claim(messages.get(0), other.ledger())).isTrue();
            assertThat(kinds(inbox.process(messages))).containsExactly(Kind.BUSY, Kind.PROCESSED, Kind.BUSY);
        }
        assertThat(kinds(inbox.process(messages))).containsExactly(Kind.PROCESSED, Kind.DUPLICATE, Kind.PROCESSED);
        assertThat(effectsOf("a")).containsExactly("a0", "a1");
    }

    @ParameterizedTest
    @EnumSource(KeyOrder.class)
    void busyMessageHoldsBackThoseBehindItInEveryChunk(KeyOrder order) {
        Inbox<C> inbox =
                ordered(order).concurrentDuplicateTimeout(Duration.ofMillis(50)).build();
        fail("b0", 1);
        fail("c0", 1);
        List<Message> messages = manyOf(20, "a", "b", "c");
        try (CallersTransaction other = fixture.begin()) {
            inbox.claim(messages.get(0), other.ledger());
            inbox.process(messages);
            assertThat(effectsOf("a")).isEmpty();
        }
        deliver(inbox, messages);
        assertThat(effectsOf("a")).containsExactlyElementsOf(numbered("a", 20));
    }

    @Test
    void unusableMessageBehindABusyOneOfItsKeyDoesNotOvertakeIt() {
        Inbox<C> inbox = ordered(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .concurrentDuplicateTimeout(Duration.ofMillis(50))
                .build();
        Message first = ofKey("a", "a0");
        Message withoutId = Message.builder("notes")
                .type(TYPE)
                .orderingKey("a")
                .payload("a1")
                .build();
        try (CallersTransaction other = fixture.begin()) {
            assertThat(inbox.claim(first, other.ledger())).isTrue();
            assertThat(kinds(inbox.process(List.of(first, withoutId)))).containsOnly(Kind.BUSY);
        }
        assertThat(kinds(inbox.process(List.of(first, withoutId)))).containsExactly(Kind.PROCESSED, Kind.DEAD);
    }

    @Test
    void laterRoundOfACallHoldsBackWhatAnEarlierOneFoundBusy() {
        List<InboxTransaction<C>> duplicates = new ArrayList<>();
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS)
                .detectConflicts()
                .concurrentDuplicateTimeout(Duration.ofMillis(50))
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        duplicates.forEach(InboxTransaction::close);
                        duplicates.clear();
                    }
                })
                .build();
        String id = Ids.opaque();
        Message first = ofKeyWithId(id, "a1");
        List<Message> batch = List.of(first, ofKey("a", "a2"), ofKeyWithId(id, "a3"));
        InboxTransaction<C> duplicate = fixture.store().begin(Duration.ofMinutes(1));
        duplicate.claim(inbox.registered(), List.of(keyOf(inbox, first)), Duration.ofSeconds(5));
        duplicates.add(duplicate);

        assertThat(kinds(inbox.process(batch))).containsOnly(Kind.BUSY);
        assertThat(duplicates).isEmpty();
        assertThat(kinds(inbox.process(batch))).containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.DEAD);
        assertThat(effectsOf("a")).containsExactly("a1", "a2");
    }

    @Test
    void conflictOfACallHoldsBackWhatComesBehindItInTheSameCall() {
        Inbox<C> inbox =
                ordered(KeyOrder.BLOCK_ON_DEAD_LETTERS).detectConflicts().build();
        String id = Ids.opaque();
        List<Message> batch = List.of(ofKeyWithId(id, "a1"), ofKeyWithId(id, "a2"), ofKey("a", "a3"), ofKey("b", "b1"));

        assertThat(kinds(inbox.process(batch)))
                .containsExactly(Kind.PROCESSED, Kind.DEAD, Kind.RECEIVED, Kind.PROCESSED);
        assertThat(effectsOf("a")).containsExactly("a1");
        assertThat(effectsOf("b")).containsExactly("b1");
    }

    private static Message ofKeyWithId(String id, String payload) {
        return Message.builder("notes")
                .id(id)
                .type(TYPE)
                .orderingKey("a")
                .payload(payload)
                .build();
    }
}
