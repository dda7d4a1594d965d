package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of unfinished messages begin with: a consumer with one work partition, and short words for what is done to it. */
abstract class WorkLab<C extends HandlerContext> extends StoreLab<C> {
    static final int ALL = 100;
    static final String NODE = "node 1";
    static final Duration LEASE = Duration.ofMinutes(10);
    static final Duration LATER = Duration.ofHours(1);

    WorkLab(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void takeOneWorkPartition() {
        consumer = register(KeyOrder.NONE);
    }

    RegisteredConsumer register(KeyOrder order) {
        return register(order, 1);
    }

    RegisteredConsumer register(KeyOrder order, int workPartitions) {
        return store.register(new ConsumerRegistration(randomName(), IdForm.TIME_ORDERED, order, workPartitions));
    }

    /** A message with an ordering key that nobody has seen. */
    static Message ofKey(String orderingKey) {
        return Message.builder("notes")
                .id(Ids.opaque())
                .type("note")
                .orderingKey(orderingKey.getBytes(StandardCharsets.UTF_8))
                .payload("payload of " + orderingKey)
                .build();
    }

    static OrderingKey orderingKey(String orderingKey) {
        return OrderingKey.of(orderingKey);
    }

    /** Does something in a transaction of its own and commits. */
    void run(Consumer<InboxTransaction<C>> work) {
        try (InboxTransaction<C> transaction = begin()) {
            work.accept(transaction);
            transaction.commit();
        }
    }

    /** The same with an answer. */
    <R> R commit(Function<InboxTransaction<C>, R> work) {
        try (InboxTransaction<C> transaction = begin()) {
            R answer = work.apply(transaction);
            transaction.commit();
            return answer;
        }
    }

    List<MessageKey> keysOf(Message... messages) {
        return keysOf(List.of(messages));
    }

    List<MessageKey> keysOf(List<Message> messages) {
        return messages.stream().map(this::keyOf).toList();
    }

    static List<MessageKey> keys(List<WorkItem> items) {
        return items.stream().map(WorkItem::key).toList();
    }

    void claimAll(InboxTransaction<C> transaction, List<Message> messages) {
        transaction.claim(consumer, keysOf(messages).stream().sorted().toList(), LONG);
    }

    /** Claims and stores as one message after the other. */
    void receive(Message... messages) {
        run(transaction -> receive(transaction, false, List.of(messages)));
    }

    void receiveByLease(Message... messages) {
        run(transaction -> receive(transaction, true, List.of(messages)));
    }

    void receive(InboxTransaction<C> transaction, boolean byLease, List<Message> messages) {
        claimAll(transaction, messages);
        transaction.receive(
                consumer,
                messages.stream()
                        .map(message -> new ReceivedMessage(keyOf(message), message, byLease))
                        .toList());
    }

    List<Message> received(int count) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(message(i));
        }
        receive(messages.toArray(Message[]::new));
        return messages;
    }

    /** Claims and parks after a first attempt. */
    void park(Message message, Duration dueIn) {
        run(transaction -> {
            claimAll(transaction, List.of(message));
            transaction.park(consumer, List.of(new ParkedMessage(keyOf(message), message, dueIn, attempt())));
        });
    }

    List<WorkItem> take(InboxTransaction<C> transaction) {
        if (consumer.order().isKept() && !transaction.enter(consumer, 0)) {
            return List.of();
        }
        return transaction.take(consumer, 0, ALL);
    }

    List<WorkItem> lease(InboxTransaction<C> transaction) {
        if (consumer.order().isKept() && !transaction.enter(consumer, 0)) {
            return List.of();
        }
        return transaction.lease(consumer, 0, ALL, NODE, LEASE);
    }

    /** Leases the only message that can be leased. */
    WorkItem leased() {
        List<WorkItem> leased = commit(this::lease);
        if (leased.size() != 1) {
            throw new AssertionError("one message should have been leased, not " + keys(leased));
        }
        return leased.get(0);
    }

    /** What a transaction could take now; it is given back. */
    List<WorkItem> takeable() {
        try (InboxTransaction<C> transaction = begin()) {
            return take(transaction);
        }
    }

    /** The keys of what a transaction could take now, in its order. */
    List<MessageKey> available() {
        return keys(takeable());
    }

    /** The keys of what a transaction could lease now; it is given back. */
    List<MessageKey> leasable() {
        try (InboxTransaction<C> transaction = begin()) {
            return keys(lease(transaction));
        }
    }

    /** The leases that have run out; they are given back. */
    List<ExpiredLease> takeExpired() {
        try (InboxTransaction<C> transaction = begin()) {
            return transaction.takeExpired(consumer, ALL);
        }
    }

    /** The only message that can be taken now. */
    WorkItem only() {
        List<WorkItem> items = takeable();
        if (items.size() != 1) {
            throw new AssertionError("one message should be there to take, not " + keys(items));
        }
        return items.get(0);
    }

    static FailedAttempt attempt(int number) {
        return new FailedAttempt(number, NODE, Duration.ofMillis(5), "java.lang.Exception", "it failed", "at a line");
    }

    /** A taken message that failed once more. */
    static PostponedItem failed(WorkItem item, Duration dueIn) {
        return new PostponedItem(item, dueIn, attempt(item.attempts() + 1));
    }

    /** A leased message whose attempt, counted already, failed. */
    static PostponedItem failedUnderLease(WorkItem item, Duration dueIn) {
        return new PostponedItem(item, dueIn, attempt(item.attempts()));
    }
}
