package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.store.AppendedMessage;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.time.SystemTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is appended is there after the commit, in order, until it is deleted. */
abstract class AppendTests<C extends HandlerContext> extends StoreLab<C> {
    private static final long MANY_BYTES = 1L << 30;

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private String destination;

    AppendTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void choose() {
        destination = "destination " + UUID.randomUUID();
    }

    private OutboxMessage.Builder toSend(String key) {
        return OutboxMessage.to(destination).key(key);
    }

    private List<UUID> append(OutboxMessage... messages) {
        List<UUID> ids = new ArrayList<>();
        inHandler(message(1), outbox -> ids.addAll(outbox.appendAll(List.of(messages))));
        return ids;
    }

    private void inHandler(Message handled, Consumer<Outbox> handler) {
        try (InboxTransaction<C> transaction = begin()) {
            handler.accept(context(transaction, handled).outbox());
            transaction.endContexts();
            transaction.flush();
            transaction.commit();
        }
    }

    private List<AppendedMessage> appended(int workPartition) {
        return appended(workPartition, 100, MANY_BYTES);
    }

    private List<AppendedMessage> appended(int workPartition, int limit, long bytes) {
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.enter(consumer, workPartition)).isTrue();
            return transaction
                    .appended(consumer, destination, workPartition, limit, bytes)
                    .messages();
        }
    }

    private static int workPartitionOf(String key) {
        return OrderingKey.partition(key.getBytes(StandardCharsets.UTF_8), Outbox.WORK_PARTITIONS);
    }

    private static List<String> payloads(List<AppendedMessage> appended) {
        return appended.stream()
                .map(message -> new String(message.message().payload(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void comesBackAsItWasWithAnIdThatHoldsTheTime() {
        byte[] bytes = {0, 1, (byte) 0xFF};
        long before = SystemTime.clock().millis();
        UUID id = append(OutboxMessage.to(destination)
                        .key(bytes)
                        .type("order.placed")
                        .contentType("application/octet-stream")
                        .header("binary", bytes)
                        .header("text", "grün")
                        .payload(bytes)
                        .build())
                .get(0);
        Message message = appended(OrderingKey.partition(bytes, Outbox.WORK_PARTITIONS))
                .get(0)
                .message();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getMostSignificantBits() >>> 16)
                .isBetween(before, SystemTime.clock().millis());
        assertThat(message.id()).isEqualTo(MessageId.of(id));
        assertThat(message.source()).isEqualTo(destination);
        assertThat(message.type()).isEqualTo("order.placed");
        assertThat(message.orderingKey()).isEqualTo(bytes);
        assertThat(message.contentType()).isEqualTo("application/octet-stream");
        assertThat(message.headers().last("binary")).isEqualTo(bytes);
        assertThat(message.headers().lastText("text")).isEqualTo("grün");
        assertThat(message.payload()).isEqualTo(bytes);
    }

    @Test
    void tombstoneIsNoEmptyPayload() {
        append(toSend("k").payload((byte[]) null).build(), toSend("k").build());

        assertThat(appended(workPartitionOf("k")))
                .extracting(message -> message.message().isTombstone())
                .containsExactly(true, false);
    }

    @Test
    void isNotThereBeforeTheCommitAndNotAfterARollback() {
        try (InboxTransaction<C> transaction = begin()) {
            context(transaction, message(1)).outbox().append(toSend("k").build());
            transaction.endContexts();
            transaction.flush();
            assertThat(appended(workPartitionOf("k"))).isEmpty();
        }
        assertThat(appended(workPartitionOf("k"))).isEmpty();
        assertThat(store.appendedTo(destination)).isEmpty();
    }

    @Test
    void goesWithWhatIsRolledBackToTheSavepoint() {
        try (InboxTransaction<C> transaction = begin()) {
            context(transaction, message(1))
                    .outbox()
                    .append(toSend("k").payload("kept").build());
            transaction.endContexts();
            transaction.flush();
            transaction.savepoint();
            context(transaction, message(2))
                    .outbox()
                    .append(toSend("k").payload("gone").build());
            transaction.endContexts();
            transaction.flush();
            transaction.rollbackToSavepoint();
            transaction.flush();
            transaction.commit();
        }
        assertThat(payloads(appended(workPartitionOf("k")))).containsExactly("kept");
    }

    @Test
    void messagesKeepTheOrderInWhichTheyWereAppended() {
        for (int transaction = 0; transaction < 3; transaction++) {
            int first = transaction * 10;
            inHandler(
                    message(1),
                    outbox -> IntStream.range(first, first + 10)
                            .forEach(i ->
                                    outbox.append(toSend("k").payload("" + i).build())));
        }
        List<AppendedMessage> appended = appended(workPartitionOf("k"));

        assertThat(payloads(appended))
                .containsExactlyElementsOf(
                        IntStream.range(0, 30).mapToObj(String::valueOf).toList());
        assertThat(appended).extracting(AppendedMessage::position).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void messagesOfOneTransactionKeepTheirOrderWhateverElseIsWritten() {
        try (InboxTransaction<C> transaction = begin()) {
            C first = context(transaction, message(1));
            first.outbox().append(toSend("k").payload("1").build());
            fixture.defer(first, "an effect");
            first.outbox().append(toSend("k").payload("2").build());
            transaction.endContexts();
            C second = context(transaction, message(2));
            second.outbox().append(toSend("k").payload("3").build());
            fixture.defer(second, "another effect");
            transaction.endContexts();
            transaction.flush();
            transaction.commit();
        }
        assertThat(payloads(appended(workPartitionOf("k")))).containsExactly("1", "2", "3");
    }

    @Test
    void isInTheWorkPartitionOfItsKeyOrOfItsId() {
        append(
                toSend("a").build(),
                toSend("b").build(),
                OutboxMessage.to(destination).build());
        List<Message> found = new ArrayList<>();
        for (int i = 0; i < Outbox.WORK_PARTITIONS; i++) {
            int workPartition = i;
            List<AppendedMessage> there = appended(i);
            there.forEach(message -> {
                byte[] key = message.message().orderingKey();
                byte[] bytes = key == null
                        ? Objects.requireNonNull(message.message().id()).toBytes()
                        : key;
                assertThat(OrderingKey.partition(bytes, Outbox.WORK_PARTITIONS)).isEqualTo(workPartition);
                found.add(message.message());
            });
            assertThat(store.appendedTo(destination).contains(i)).isEqualTo(!there.isEmpty());
        }
        assertThat(found).hasSize(3);
    }

    @Test
    void isOfItsDestinationOnly() {
        append(toSend("k").build());
        destination = "another " + destination;

        assertThat(appended(workPartitionOf("k"))).isEmpty();
        assertThat(store.appendedTo(destination)).isEmpty();
    }

    @Test
    void noMoreAreReadThanAskedFor() {
        append(
                toSend("k").payload("1").build(),
                toSend("k").payload("2").build(),
                toSend("k").payload("3").build());

        assertThat(payloads(appended(workPartitionOf("k"), 2, MANY_BYTES))).containsExactly("1", "2");
    }

    @Test
    void noMoreBytesAreReadThanAskedForButOneMessage() {
        String large = "x".repeat(10_000);
        append(
                toSend("k").payload(large).build(),
                toSend("k").payload("1").build(),
                toSend("k").payload(large).build());

        assertThat(appended(workPartitionOf("k"), 100, 1)).hasSize(1);
        assertThat(appended(workPartitionOf("k"), 100, 15_000)).hasSize(2);
        assertThat(appended(workPartitionOf("k"), 100, 25_000)).hasSize(3);
    }

    @Test
    void isGoneOnceItIsDeletedAndNotBefore() {
        append(toSend("k").payload("1").build(), toSend("k").payload("2").build());
        long first = appended(workPartitionOf("k")).get(0).position();
        try (InboxTransaction<C> transaction = begin()) {
            remove(transaction, first);
        }
        assertThat(payloads(appended(workPartitionOf("k")))).containsExactly("1", "2");
        try (InboxTransaction<C> transaction = begin()) {
            remove(transaction, first);
            transaction.commit();
        }
        assertThat(payloads(appended(workPartitionOf("k")))).containsExactly("2");
    }

    @Test
    void cannotBeDeletedTwice() {
        append(toSend("k").build());
        long position = appended(workPartitionOf("k")).get(0).position();
        try (InboxTransaction<C> transaction = begin()) {
            remove(transaction, position);
            transaction.commit();
        }
        try (InboxTransaction<C> transaction = begin()) {
            assertThatThrownBy(() -> {
                        remove(transaction, position);
                        transaction.commit();
                    })
                    .isInstanceOf(RuntimeException.class);
        }
    }

    private void remove(InboxTransaction<C> transaction, long position) {
        assertThat(transaction.enter(consumer, workPartitionOf("k"))).isTrue();
        transaction.removeAppended(destination, workPartitionOf("k"), List.of(position));
    }

    @Test
    void isNotReadWhileTheConsumerIsPaused() {
        append(toSend("k").build());
        fixture.pause(consumer.name(), true);

        assertThat(appended(workPartitionOf("k"))).isEmpty();
        fixture.pause(consumer.name(), false);
        assertThat(appended(workPartitionOf("k"))).hasSize(1);
    }

    @Test
    void mayBeBlockedWhereItsWorkPartitionHasUnfinishedWork() {
        consumer = store.register(new ConsumerRegistration(
                randomName(), IdForm.OPAQUE, KeyOrder.SKIP_DEAD_LETTERS, Outbox.WORK_PARTITIONS));
        append(toSend("k").build());
        Message unfinished =
                Message.builder("notes").id(Ids.opaque()).orderingKey("k").build();
        try (InboxTransaction<C> transaction = begin()) {
            transaction.lock(consumer, List.of(workPartitionOf("k")), LONG);
            claim(transaction, keyOf(unfinished));
            transaction.receive(consumer, List.of(new ReceivedMessage(keyOf(unfinished), unfinished, false)));
            transaction.commit();
        }
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.enter(consumer, workPartitionOf("k"))).isTrue();
            assertThat(transaction
                            .appended(consumer, destination, workPartitionOf("k"), 1, MANY_BYTES)
                            .mayBeBlocked())
                    .isTrue();
        }
    }

    @Test
    void isHeardOfAfterTheCommitAndNotAfterARollback() {
        List<String> heard = new CopyOnWriteArrayList<>();
        Runnable end = store.whenAppended((to, workPartitions) -> heard.add(to + workPartitions));
        try (InboxTransaction<C> transaction = begin()) {
            context(transaction, message(1)).outbox().append(toSend("k").build());
            transaction.endContexts();
            transaction.flush();
        }
        assertThat(heard).isEmpty();
        append(toSend("k").build());
        assertThat(heard).containsExactly(destination + Set.of(workPartitionOf("k")));
        end.run();
        append(toSend("k").build());
        assertThat(heard).hasSize(1);
    }

    @Test
    void saysWhichMessageCausedItAndWhatTheyHaveInCommon() {
        Message first = Message.builder("notes").id("first").type("note").build();
        Message later = Message.builder("notes")
                .id("later")
                .type("note")
                .headers(Headers.none().with("correlation-id", "begun with this"))
                .build();
        inHandler(
                first,
                outbox -> outbox.append(
                        toSend("k").header("causation-id", "a lie").build()));
        inHandler(later, outbox -> outbox.append(toSend("k").build()));
        inHandler(
                later,
                outbox -> outbox.append(
                        toSend("k").header("correlation-id", "another").build()));
        List<Headers> headers = appended(workPartitionOf("k")).stream()
                .map(message -> message.message().headers())
                .toList();

        assertThat(headers)
                .extracting(each -> each.lastText("causation-id"))
                .containsExactly("first", "later", "later");
        assertThat(headers)
                .extracting(each -> each.lastText("correlation-id"))
                .containsExactly("first", "begun with this", "another");
    }

    @Test
    void cannotBeAppendedOnceTheHandlerHasEnded() {
        try (InboxTransaction<C> transaction = begin()) {
            Outbox outbox = context(transaction, message(1)).outbox();
            transaction.endContexts();
            assertThatThrownBy(() -> outbox.append(toSend("k").build())).isInstanceOf(IllegalStateException.class);
            transaction.flush();
            transaction.commit();
        }
        assertThat(appended(workPartitionOf("k"))).isEmpty();
    }
}
