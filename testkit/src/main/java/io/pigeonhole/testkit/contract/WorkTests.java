package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What is accepted is taken by one transaction at a time, when it is due, until it is finished. */
abstract class WorkTests<C extends HandlerContext> extends WorkLab<C> {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    WorkTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void receivedMessagesAreDueAtOnceInTheOrderOfTheirArrival() {
        List<Message> messages = received(20);

        assertThat(available()).containsExactlyElementsOf(keysOf(messages));
    }

    @Test
    void receivedMessagesAreAcceptedAndKnown() {
        Message message = received(1).get(0);

        assertThat(claimed(keyOf(message)).claimed()).isEmpty();
        assertThat(known(message)).containsExactly(keyOf(message));
        assertThat(fixture.parked(consumer.name())).isEmpty();
    }

    @Test
    void receivedMessageComesBackAsItWas() {
        byte[] bytes = {0, 1, (byte) 0xFF};
        Message message = Message.builder("notes")
                .id(Ids.opaque())
                .type("note")
                .orderingKey(bytes)
                .contentType("application/octet-stream")
                .headers(Headers.none().with("binary", bytes).with("none", (byte[]) null))
                .payload(bytes)
                .origin("notes-0@17")
                .build();
        receive(message);
        WorkItem item = only();

        assertThat(item.key()).isEqualTo(keyOf(message));
        assertThat(item.message().source()).isEqualTo("notes");
        assertThat(item.message().id()).isEqualTo(message.id());
        assertThat(item.message().type()).isEqualTo("note");
        assertThat(item.message().orderingKey()).isEqualTo(bytes);
        assertThat(item.message().contentType()).isEqualTo("application/octet-stream");
        assertThat(item.message().headers()).isEqualTo(message.headers());
        assertThat(item.message().payload()).isEqualTo(bytes);
        assertThat(item.message().origin()).isEqualTo("notes-0@17");
    }

    @Test
    void messageThatNobodyHasSeenHasNoAttemptsNoTokenAndNoAge() {
        received(1);
        WorkItem item = only();

        assertThat(item.attempts()).isZero();
        assertThat(item.retriedAttempts()).isZero();
        assertThat(item.byLease()).isFalse();
        assertThat(item.token()).isZero();
        assertThat(item.age()).isBetween(Duration.ZERO, MINUTE);
    }

    @Test
    void messagesOfATransactionThatIsOpenAreSeenByNobodyElse() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = begin()) {
            receive(transaction, false, List.of(message));
            assertThat(available()).isEmpty();
            transaction.commit();
        }
        assertThat(available()).containsExactly(keyOf(message));
    }

    @Test
    void messagesOfATransactionThatWasRolledBackAreGone() {
        Message message = message(0);
        try (InboxTransaction<C> transaction = begin()) {
            receive(transaction, false, List.of(message));
        }
        assertThat(available()).isEmpty();
        assertThat(claimed(keyOf(message)).claimed()).hasSize(1);
    }

    @Test
    void parkedMessageIsDueWhenTheStoresClockSaysSo() {
        Message message = message(0);
        park(message, LATER);

        assertThat(available()).isEmpty();
        fixture.advance(LATER.minusMinutes(5));
        assertThat(available()).isEmpty();
        fixture.advance(Duration.ofMinutes(5));
        assertThat(available()).containsExactly(keyOf(message));
    }

    @Test
    void attemptsAndAgeOfAParkedMessageAreCounted() {
        park(message(0), Duration.ZERO);
        fixture.advance(LATER);
        WorkItem item = only();

        assertThat(item.attempts()).isEqualTo(1);
        assertThat(item.retriedAttempts()).isZero();
        assertThat(item.age()).isBetween(LATER, LATER.plus(MINUTE));
    }

    @Test
    void takenMessagesAreNobodyElsesWhileTheTransactionIsOpen() {
        List<Message> messages = received(3);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(keys(transaction.take(consumer, 0, 2))).isEqualTo(keysOf(messages.get(0), messages.get(1)));
            assertThat(available()).containsExactly(keyOf(messages.get(2)));
        }
        assertThat(available()).containsExactlyElementsOf(keysOf(messages));
    }

    @Test
    void takenMessagesThatWereNeitherFinishedNorPostponedAreThereAfterTheCommit() {
        List<Message> messages = received(2);
        run(this::take);

        assertThat(available()).containsExactlyElementsOf(keysOf(messages));
    }

    @Test
    void theOldestDueAreTakenFirst() {
        Message late = message(0);
        Message soon = message(1);
        Message now = message(2);
        park(late, LATER.plus(MINUTE));
        park(soon, LATER);
        receive(now);
        fixture.advance(LATER.multipliedBy(2));

        assertThat(available()).containsExactlyElementsOf(keysOf(now, soon, late));
        List<MessageKey> oldest = commit(transaction -> keys(transaction.take(consumer, 0, 2)));
        assertThat(oldest).containsExactlyElementsOf(keysOf(now, soon));
    }

    @Test
    void finishedMessageIsGoneAndStaysAccepted() {
        Message message = received(1).get(0);
        run(transaction -> transaction.finish(consumer, take(transaction)));
        fixture.advance(LATER);

        assertThat(available()).isEmpty();
        assertThat(claimed(keyOf(message)).claimed()).isEmpty();
        assertThat(known(message)).isEmpty();
    }

    private Set<MessageKey> known(Message message) {
        return commit(transaction -> transaction.known(consumer, keysOf(message)));
    }

    @Test
    void finishIsUndoneByARollback() {
        Message message = received(1).get(0);
        try (InboxTransaction<C> transaction = begin()) {
            transaction.finish(consumer, take(transaction));
        }
        assertThat(available()).containsExactly(keyOf(message));
    }

    @Test
    void finishIsUndoneByTheSavepoint() {
        List<Message> messages = received(2);
        run(transaction -> {
            List<WorkItem> items = take(transaction);
            transaction.finish(consumer, items.subList(0, 1));
            transaction.savepoint();
            transaction.finish(consumer, items.subList(1, 2));
            transaction.rollbackToSavepoint();
        });
        assertThat(available()).containsExactly(keyOf(messages.get(1)));
    }

    @Test
    void finishedWorkCanBeRecorded() {
        Message message = received(1).get(0);
        FinishedMessage finished = new FinishedMessage(keyOf(message), message, 1, true);
        run(transaction -> {
            transaction.finish(consumer, take(transaction));
            transaction.record(consumer, List.of(finished));
        });
        assertThat(fixture.history(consumer.name())).containsExactly(StoredMessage.of(finished));
    }

    @Test
    void postponedMessageIsDueLaterAndHasOneMoreAttempt() {
        Message message = message(0);
        park(message, Duration.ZERO);
        run(transaction ->
                transaction.postpone(consumer, List.of(failed(take(transaction).get(0), LATER))));

        assertThat(available()).isEmpty();
        assertThat(fixture.parked(consumer.name()))
                .extracting(StoredMessage::attempts)
                .containsExactly(2);
        fixture.advance(LATER);
        WorkItem item = only();
        assertThat(item.attempts()).isEqualTo(2);
        assertThat(item.age()).isGreaterThanOrEqualTo(LATER);
        assertThat(new String(item.message().payload(), StandardCharsets.UTF_8))
                .isEqualTo(new String(message.payload(), StandardCharsets.UTF_8));
    }

    @Test
    void postponedMessageKeepsItsPlace() {
        received(1);
        long place = only().id();
        run(transaction ->
                transaction.postpone(consumer, List.of(failed(take(transaction).get(0), Duration.ZERO))));

        assertThat(only().id()).isEqualTo(place);
    }

    @Test
    void postponingIsUndoneByARollback() {
        received(1);
        try (InboxTransaction<C> transaction = begin()) {
            transaction.postpone(consumer, List.of(failed(take(transaction).get(0), LATER)));
        }
        assertThat(only().attempts()).isZero();
    }

    @Test
    void someOfManyAreFinishedSomePostponedTheOthersStay() {
        List<Message> messages = received(30);
        run(transaction -> {
            List<WorkItem> items = take(transaction);
            transaction.finish(consumer, items.subList(0, 10));
            transaction.postpone(
                    consumer,
                    items.subList(10, 20).stream()
                            .map(item -> failed(item, LATER))
                            .toList());
        });
        assertThat(available()).containsExactlyElementsOf(keysOf(messages.subList(20, 30)));
        fixture.advance(LATER);
        assertThat(available()).containsExactlyInAnyOrderElementsOf(keysOf(messages.subList(10, 30)));
    }

    @Test
    void messagesAreTakenAgainAfterARollbackEvenIfTheyAreNotDueAnyMore() {
        List<Message> messages = received(4);
        List<WorkItem> items = takeable();
        List<Long> ids = items.stream().map(WorkItem::id).toList();
        run(transaction -> {
            List<WorkItem> taken = transaction.retake(consumer, ids.subList(0, 2));
            transaction.finish(consumer, taken.subList(0, 1));
            transaction.postpone(consumer, List.of(failed(taken.get(1), LATER)));
        });
        try (InboxTransaction<C> transaction = begin();
                InboxTransaction<C> other = begin()) {
            other.retake(consumer, ids.subList(3, 4));
            List<WorkItem> retaken =
                    transaction.retake(consumer, List.of(ids.get(2), ids.get(1), ids.get(0), ids.get(3)));

            assertThat(keys(retaken)).containsExactlyElementsOf(keysOf(messages.get(1), messages.get(2)));
            assertThat(retaken.get(0).attempts()).isEqualTo(1);
            assertThat(available()).isEmpty();
        }
    }

    @Test
    void consumersHaveWorkOfTheirOwn() {
        MessageKey own = keyOf(received(1).get(0));
        RegisteredConsumer first = consumer;
        consumer = register(first.order());
        assertThat(available()).isEmpty();
        consumer = first;
        assertThat(available()).containsExactly(own);
    }

    @Test
    void emptyListsAreNoTroubleHere() {
        run(transaction -> {
            transaction.receive(consumer, List.of());
            transaction.finish(consumer, List.of());
            transaction.postpone(consumer, List.of());
            transaction.requireLease(consumer, List.of());
        });
        assertThat(available()).isEmpty();
    }
}
