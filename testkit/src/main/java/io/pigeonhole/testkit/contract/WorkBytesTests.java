package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How much is taken at once, in bytes. */
abstract class WorkBytesTests<C extends HandlerContext> extends WorkLab<C> {
    private static final int SIZE = 10_000;

    /** More than two messages have with their headers, and less than three. */
    private static final long ROOM_FOR_TWO = 2 * SIZE + SIZE / 2;

    WorkBytesTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private static Message large(String orderingKey, int size) {
        return Message.builder("notes")
                .id(Ids.opaque())
                .type("note")
                .orderingKey(orderingKey)
                .payload(new byte[size])
                .build();
    }

    private Message[] five() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            messages.add(large(i % 2 == 0 ? "even" : "odd", SIZE));
        }
        return messages.toArray(Message[]::new);
    }

    private List<WorkItem> takeAndFinish(InboxTransaction<C> transaction) {
        if (consumer.order().isKept() && !transaction.enter(consumer, 0)) {
            return List.of();
        }
        List<WorkItem> taken = transaction.take(consumer, 0, ALL, ROOM_FOR_TWO);
        transaction.finish(consumer, taken);
        return taken;
    }

    private void takesTwoThenTwoThenOne() {
        Message[] messages = five();
        receive(messages);

        assertThat(keys(commit(this::takeAndFinish))).isEqualTo(keysOf(messages[0], messages[1]));
        assertThat(keys(commit(this::takeAndFinish))).isEqualTo(keysOf(messages[2], messages[3]));
        assertThat(keys(commit(this::takeAndFinish))).isEqualTo(keysOf(messages[4]));
        assertThat(commit(this::takeAndFinish)).isEmpty();
    }

    @Test
    @Tag("B10")
    void noMoreBytesAreTakenThanAskedFor() {
        takesTwoThenTwoThenOne();
    }

    @Test
    @Tag("B10")
    void noMoreBytesAreTakenThanAskedForWhereOrderIsKept() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        takesTwoThenTwoThenOne();
    }

    /** Without an order a key may be as long as the broker lets it. */
    @Test
    @Tag("B10")
    void bytesOfOrderingKeysCount() {
        Message[] messages = new Message[5];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = large("k".repeat(SIZE), 1);
        }
        receive(messages);
        assertThat(keys(commit(this::takeAndFinish))).isEqualTo(keysOf(messages[0], messages[1]));
    }

    @Test
    @Tag("B10")
    void messageThatIsLargerThanAllIsTakenAlone() {
        Message small = large("a", 1);
        Message huge = large("a", 5 * SIZE);
        Message next = large("a", 1);
        for (KeyOrder order : List.of(KeyOrder.NONE, KeyOrder.SKIP_DEAD_LETTERS)) {
            consumer = register(order);
            receive(small, huge, next);

            assertThat(keys(commit(this::takeAndFinish))).isEqualTo(keysOf(small));
            assertThat(keys(commit(this::takeAndFinish))).isEqualTo(keysOf(huge));
            assertThat(keys(commit(this::takeAndFinish))).isEqualTo(keysOf(next));
        }
    }

    @Test
    @Tag("B10")
    void noMoreBytesOfExpiredLeasesAreTakenThanAskedFor() {
        Message[] messages = five();
        receiveByLease(messages);
        commit(this::lease);
        fixture.advance(LEASE.plus(LATER));

        List<ExpiredLease> expired = commit(transaction -> {
            List<ExpiredLease> taken = transaction.takeExpired(consumer, ALL, ROOM_FOR_TWO);
            taken.forEach(lease -> transaction.postpone(consumer, List.of(failedUnderLease(lease.item(), LATER))));
            return taken;
        });
        assertThat(expired).hasSize(2);
        List<ExpiredLease> first = commit(transaction -> transaction.takeExpired(consumer, ALL, 1));
        assertThat(first).hasSize(1);
        assertThat(takeExpired()).hasSize(3);
    }
}
