package io.pigeonhole.core.node;

import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.Backlog.Due;

/**
 * What only one thread of a node works on at a time.
 *
 * @param consumer whose messages
 * @param kind what is to be done
 * @param workPartition in which work partition
 */
record WorkSlot(short consumer, Backlog.Kind kind, int workPartition) {
    static WorkSlot of(Due due) {
        return new WorkSlot(due.consumer().id(), due.kind(), due.workPartition());
    }
}
