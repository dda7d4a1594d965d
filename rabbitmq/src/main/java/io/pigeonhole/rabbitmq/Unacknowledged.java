package io.pigeonhole.rabbitmq;

import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.lane.Settlement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The deliveries of one channel that are not acknowledged. They are added by one thread in their order, settled by those of
 * the lanes, and acknowledged by one thread.
 *
 * <p>What is settled without a gap from the oldest on is acknowledged together, the rest one by one, so that no unfinished
 * message holds back those behind it.
 */
final class Unacknowledged {
    private final Queue<Slot> delivered = new ConcurrentLinkedQueue<>();
    private final Queue<Slot> settled = new ConcurrentLinkedQueue<>();
    private final Runnable whenSettled;

    /** How a delivery tag is acknowledged: {@code Channel.basicAck}. */
    @FunctionalInterface
    interface Acknowledger {
        void acknowledge(long deliveryTag, boolean multiple) throws IOException;
    }

    Unacknowledged(Runnable whenSettled) {
        this.whenSettled = whenSettled;
    }

    /** Notes a delivery. The tags of a channel only grow. */
    Settlement add(long deliveryTag) {
        Slot slot = new Slot(deliveryTag);
        delivered.add(slot);
        return slot;
    }

    /** Acknowledges what was settled since the last time; each delivery once. */
    void acknowledge(Acknowledger acknowledger) throws IOException {
        List<Slot> fresh = new ArrayList<>();
        for (Slot slot = settled.poll(); slot != null; slot = settled.poll()) {
            slot.done = true;
            fresh.add(slot);
        }
        if (fresh.isEmpty()) {
            return;
        }
        long together = 0;
        long newest = 0;
        for (Slot head = delivered.peek(); head != null && head.done; head = delivered.peek()) {
            delivered.remove();
            together = head.deliveryTag;
            // The broker refuses a tag that was acknowledged before, also as the last of many.
            newest = head.acknowledged ? newest : head.deliveryTag;
        }
        if (newest > 0) {
            acknowledger.acknowledge(newest, true);
        }
        for (Slot slot : fresh) {
            if (slot.deliveryTag > together) {
                slot.acknowledged = true;
                acknowledger.acknowledge(slot.deliveryTag, false);
            }
        }
    }

    /** One delivery. The two marks belong to the thread that acknowledges. */
    private final class Slot implements Settlement {
        private final long deliveryTag;
        private boolean done;
        private boolean acknowledged;

        Slot(long deliveryTag) {
            this.deliveryTag = deliveryTag;
        }

        @Override
        public void settled(Outcome outcome) {
            settled.add(this);
            whenSettled.run();
        }
    }
}
