package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Work is split into work partitions; with an order one worker at a time is in each. */
abstract class WorkPartitionTests<C extends HandlerContext> extends WorkLab<C> {
    private static final int WORK_PARTITIONS = 8;
    private static final int MESSAGES = 1_000;
    private static final int KEYS = 40;
    private static final int THREADS = 4;
    private static final int BATCH = 25;

    WorkPartitionTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void messagesAreTakenFromTheirWorkPartitions() {
        consumer = register(KeyOrder.NONE, WORK_PARTITIONS);
        List<Message> messages = received(50);
        for (int workPartition = 0; workPartition < WORK_PARTITIONS; workPartition++) {
            int asked = workPartition;
            List<MessageKey> ofWorkPartition = messages.stream()
                    .filter(message -> consumer.workPartitionOf(message, keyOf(message)) == asked)
                    .map(this::keyOf)
                    .toList();
            List<MessageKey> taken = commit(transaction -> keys(transaction.take(consumer, asked, ALL)));
            assertThat(taken).containsExactlyElementsOf(ofWorkPartition);
        }
    }

    @Test
    void oneWorkerIsInAWorkPartitionUntilItsTransactionEnds() {
        RegisteredConsumer other = register(KeyOrder.NONE, WORK_PARTITIONS);
        consumer = register(KeyOrder.NONE, WORK_PARTITIONS);
        try (InboxTransaction<C> worker = begin();
                InboxTransaction<C> second = begin()) {
            assertThat(worker.enter(consumer, 3)).isTrue();
            assertThat(worker.enter(consumer, 3)).isTrue();
            assertThat(second.enter(consumer, 3)).isFalse();
            assertThat(second.enter(consumer, 4)).isTrue();
            assertThat(second.enter(other, 3)).isTrue();
            worker.commit();
            assertThat(second.enter(consumer, 3)).isTrue();
        }
        run(transaction -> assertThat(transaction.enter(consumer, 3)).isTrue());
    }

    @Test
    void workersDoNotKeepOutThoseThatStoreMessages() {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS);
        Message message = ofKey("a");
        try (InboxTransaction<C> worker = begin()) {
            assertThat(worker.enter(consumer, 0)).isTrue();
            run(transaction -> {
                transaction.lock(consumer, List.of(0), SHORT);
                receive(transaction, false, List.of(message));
            });
        }
        assertThat(available()).containsExactly(keyOf(message));
    }

    @Test
    void manyThreadsFinishEveryMessageOfAllWorkPartitionsOnce() throws Exception {
        consumer = register(KeyOrder.NONE, WORK_PARTITIONS);
        List<Message> messages = new ArrayList<>();
        for (int from = 0; from < MESSAGES; from += ALL) {
            messages.addAll(received(ALL));
        }
        Queue<MessageKey> finished = new ConcurrentLinkedQueue<>();
        workTogether(finished);

        assertThat(finished).containsExactlyInAnyOrderElementsOf(keysOf(messages));
    }

    @Test
    void manyThreadsFinishEveryMessageOfAKeyOnceAndInOrder() throws Exception {
        consumer = register(KeyOrder.SKIP_DEAD_LETTERS, WORK_PARTITIONS);
        Map<String, List<MessageKey>> expected = new HashMap<>();
        Map<MessageKey, String> orderingKeys = new HashMap<>();
        for (int from = 0; from < MESSAGES; from += ALL) {
            List<Message> some = new ArrayList<>();
            for (int i = from; i < from + ALL; i++) {
                String orderingKey = "key " + i % KEYS;
                Message message = ofKey(orderingKey);
                some.add(message);
                orderingKeys.put(keyOf(message), orderingKey);
                expected.computeIfAbsent(orderingKey, key -> new ArrayList<>()).add(keyOf(message));
            }
            receive(some.toArray(Message[]::new));
        }
        Queue<MessageKey> finished = new ConcurrentLinkedQueue<>();
        workTogether(finished);

        Map<String, List<MessageKey>> byKey = new HashMap<>();
        for (MessageKey key : finished) {
            byKey.computeIfAbsent(orderingKeys.getOrDefault(key, "unknown"), any -> new ArrayList<>())
                    .add(key);
        }
        assertThat(byKey).isEqualTo(expected);
    }

    private void workTogether(Queue<MessageKey> finished) throws InterruptedException {
        threads.together(THREADS, thread -> {
            int round = thread;
            int emptyInARow = 0;
            while (emptyInARow < WORK_PARTITIONS) {
                boolean rollsBack = round % 5 == 0;
                Progress progress = work(round % WORK_PARTITIONS, rollsBack, finished);
                emptyInARow = progress == Progress.NOTHING_THERE ? emptyInARow + 1 : 0;
                round++;
            }
            return thread;
        });
    }

    private enum Progress {
        SOME,
        NOTHING_THERE,
        ANOTHER_IS_THERE
    }

    /**
     * What a worker does in a work partition. The finished ones are noted before the commit: with an order the work partition is still this
     * worker's then, and the notes of a key are in the order of its commits.
     */
    private Progress work(int workPartition, boolean rollsBack, Queue<MessageKey> finished) {
        try (InboxTransaction<C> transaction = begin()) {
            if (consumer.order().isKept() && !transaction.enter(consumer, workPartition)) {
                return Progress.ANOTHER_IS_THERE;
            }
            List<WorkItem> items = transaction.take(consumer, workPartition, BATCH);
            if (items.isEmpty()) {
                return Progress.NOTHING_THERE;
            }
            transaction.finish(consumer, items);
            if (rollsBack) {
                return Progress.SOME;
            }
            finished.addAll(keys(items));
            transaction.commit();
            return Progress.SOME;
        }
    }
}
