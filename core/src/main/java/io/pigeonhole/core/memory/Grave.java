package io.pigeonhole.core.memory;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;

/**
 * A dead letter. It keeps its place and its token from work: a lease from before must not pass for one from after a
 * reopening.
 */
record Grave(
        Row row, long id, DeadLetter letter, boolean blocks, int attempts, boolean byLease, long token, int seenAgain) {
    static Grave of(RegisteredConsumer consumer, DeadLetter letter, Row row, long id) {
        FailedAttempt last = letter.attempt();
        WorkItem item = letter.item();
        int attempts = last != null ? last.number() : item != null ? item.attempts() : 0;
        return new Grave(
                row,
                id,
                letter,
                letter.blocks(consumer),
                attempts,
                item != null && item.byLease(),
                item == null ? 0 : item.token(),
                0);
    }

    Grave seenOnceMore() {
        return new Grave(row, id, letter, blocks, attempts, byLease, token, seenAgain + 1);
    }

    /** Whether messages of the key that arrived after it must wait. */
    boolean blocks(RegisteredConsumer consumer, OrderingKey key) {
        return blocks && row.consumer() == consumer.id() && key.equals(OrderingKey.of(letter.message()));
    }
}
