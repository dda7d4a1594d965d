package io.pigeonhole.rabbitmq;

import io.pigeonhole.core.delivery.Settlement;
import io.pigeonhole.core.inbox.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The deliveries of one channel that are not acknowledged. They are added by one thread in their order, settled by those of
 * the delivery threads, and acknowledged by one thread.
 *
 * <p>What is settled without a gap from the oldest on is acknowledged together, the rest one by one, so that no unfinished
 * message holds back those behind it. What is kept is bounded by what is not settled, however long one message stays so.
 */
final class Unacknowledged {
    /** So many that were acknowledged one by one are kept before they are looked for. */
    private static final int MOST_APART = 1_000;

    private final Queue<Slot> delivered = new ConcurrentLinkedQueue<>();
    private final Queue<Slot> settled = new ConcurrentLinkedQueue<>();
    private final Runnable whenSettled;
    private List<Slot> fresh = new ArrayList<>();
    private long settledCount;
    private long acknowledgedCount;
    /** How many of those that are kept as delivered were acknowledged, behind one that is not settled. */
    private int apart;

    /** How a delivery tag is acknowledged: {@code Channel.basicAck}. */
    @FunctionalInterface
    interface Acknowledger {
        void acknowledge(long deliveryTag, boolean multiple) throws IOException;
    }

    Unacknowledged(Runnable whenSettled) {
        this.whenSettled = whenSettled;
    }

    /** Notes a delivery to a consumer. The tags of a channel only grow. */
    Settlement add(long deliveryTag, Window window) {
        Slot slot = new Slot(deliveryTag, window);
        delivered.add(slot);
        return slot;
    }

    /** Takes note of what was settled since the last time; returns how much was settled in all. */
    long collect() {
        for (Slot slot = settled.poll(); slot != null; slot = settled.poll()) {
            slot.done = true;
            slot.window.settled();
            fresh.add(slot);
            settledCount++;
        }
        return settledCount;
    }

    /** How many deliveries were acknowledged, as far as this side knows. */
    long acknowledged() {
        return acknowledgedCount;
    }

    /** Acknowledges what was settled since the last time; each delivery once. */
    void acknowledge(Acknowledger acknowledger) throws IOException {
        collect();
        if (fresh.isEmpty()) {
            return;
        }
        List<Slot> now = fresh;
        fresh = new ArrayList<>();
        long together = 0;
        long newest = 0;
        for (Slot head = delivered.peek(); head != null && head.done; head = delivered.peek()) {
            delivered.remove();
            together = head.deliveryTag;
            // The broker refuses a tag that was acknowledged before, also as the last of many.
            newest = head.acknowledged ? newest : head.deliveryTag;
            apart -= head.acknowledged ? 1 : 0;
        }
        if (newest > 0) {
            acknowledger.acknowledge(newest, true);
        }
        for (Slot slot : now) {
            if (slot.deliveryTag > together) {
                slot.acknowledged = true;
                apart++;
                acknowledger.acknowledge(slot.deliveryTag, false);
            }
        }
        now.forEach(slot -> slot.window.acknowledged());
        acknowledgedCount += now.size();
        if (apart > MOST_APART) {
            delivered.removeIf(slot -> slot.acknowledged);
            apart = 0;
        }
    }

    /** How many deliveries it keeps. */
    int size() {
        return delivered.size();
    }

    /** One delivery. The two marks belong to the thread that acknowledges. */
    private final class Slot implements Settlement {
        private final long deliveryTag;
        private final Window window;
        private boolean done;
        private boolean acknowledged;

        Slot(long deliveryTag, Window window) {
            this.deliveryTag = deliveryTag;
            this.window = window;
        }

        @Override
        public void settled(Outcome outcome) {
            settled.add(this);
            whenSettled.run();
        }
    }
}
