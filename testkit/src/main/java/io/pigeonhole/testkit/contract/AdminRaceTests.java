package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.RepeatedTest;

/** People and workers at the same time. */
abstract class AdminRaceTests<C extends HandlerContext> extends AdminLab<C> {
    private static final int KEYS = 4;
    private static final int MESSAGES = 80;
    private static final int BATCH = 5;

    private final Map<Integer, MessageKey> finished = new ConcurrentSkipListMap<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    AdminRaceTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @RepeatedTest(3)
    void everyMessageIsFinishedOnceAndInItsOrderWhilePeopleDecide() throws Exception {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            messages.add(ofKey("key " + i % KEYS));
        }
        deadLetter(messages.subList(0, MESSAGES / 2).toArray(Message[]::new));
        receive(messages.subList(MESSAGES / 2, MESSAGES).toArray(Message[]::new));

        threads.together(4, thread -> {
            while (finished.size() < MESSAGES) {
                if (thread < 2) {
                    workOnce();
                } else {
                    decide();
                }
            }
            return thread;
        });

        List<MessageKey> inTheirTurn = List.copyOf(finished.values());
        assertThat(inTheirTurn).containsExactlyInAnyOrderElementsOf(keysOf(messages));
        for (int key = 0; key < KEYS; key++) {
            List<MessageKey> inOrder = new ArrayList<>();
            for (int i = key; i < MESSAGES; i += KEYS) {
                inOrder.add(keyOf(messages.get(i)));
            }
            assertThat(inTheirTurn).containsSubsequence(inOrder);
        }
        assertThat(failures).hasPositiveValue();
        assertThat(work()).isEmpty();
        assertThat(letters()).isEmpty();
    }

    /** Now and then the first message fails and waits for people. */
    private void workOnce() {
        try (InboxTransaction<C> transaction = begin()) {
            if (!transaction.enter(consumer, 0)) {
                return;
            }
            List<WorkItem> items = transaction.take(consumer, 0, BATCH);
            if (items.isEmpty()) {
                return;
            }
            if (failures.get() < MESSAGES / BATCH && finished.size() / BATCH % 3 == 1) {
                failures.incrementAndGet();
                transaction.postpone(consumer, List.of(failed(items.get(0), LATER)));
                transaction.commit();
                return;
            }
            transaction.finish(consumer, items);
            // Before the commit: afterwards another worker may be faster.
            int first = turn.getAndAdd(items.size());
            transaction.commit();
            for (int i = 0; i < items.size(); i++) {
                finished.put(first + i, items.get(i).key());
            }
        } catch (StoreException e) {
            assertThat(e.errorClass()).isEqualTo(ErrorClass.RETRY_NOW);
        }
    }

    private void decide() {
        admin.requeue(
                admin.select(DeadLetterFilter.of(name())), Requeue.atOnce().atMost(3), ANN);
        for (WorkEntry entry :
                admin.work(WorkFilter.of(name()), PageRequest.first(BATCH)).entries()) {
            admin.retryNow(name(), entry.message().key(), ANN);
        }
    }
}
