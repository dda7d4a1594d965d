package io.pigeonhole.core.delivery;

import io.pigeonhole.core.message.Message;
import java.time.Duration;

/**
 * Deliveries that may have to be taken back together, such as those of one partition for as long as it is assigned.
 *
 * <p>The forms of {@link #submit} and {@link #withdraw} are called by one thread at a time.
 */
public final class DeliveryGroup {
    private final DeliveryThreads deliveryThreads;
    private volatile boolean withdrawn;

    DeliveryGroup(DeliveryThreads deliveryThreads) {
        this.deliveryThreads = deliveryThreads;
    }

    /**
     * Puts a message into the queue of its delivery thread. Does not wait, even when the delivery threads are {@linkplain DeliveryThreads#isFull full}: stopping the flow
     * is for the adapter to do.
     *
     * @param message the message
     * @param fallback decides the delivery thread where the message has no ordering key: equal numbers share a delivery thread, in their order
     * @param settlement is called when the message is settled; never, when it is withdrawn before it is in work
     * @throws IllegalStateException if this group is withdrawn
     */
    public void submit(Message message, int fallback, Settlement settlement) {
        deliveryThreads.add(entry(message, settlement), fallback);
    }

    /**
     * As {@link #submit(Message, int, Settlement)}, for brokers that promise no order: a message without ordering key goes
     * to the delivery thread that has the least to do. So one slow message does not collect others behind it while there are delivery threads
     * that have nothing.
     *
     * @param message the message
     * @param settlement is called when the message is settled; never, when it is withdrawn before it is in work
     * @throws IllegalStateException if this group is withdrawn
     */
    public void submit(Message message, Settlement settlement) {
        deliveryThreads.add(entry(message, settlement));
    }

    /**
     * As {@link #submit(Message, int, Settlement)}, for logs: all messages of this group share a delivery thread, whatever their
     * ordering keys are, and none is settled before those that were submitted before it. A group is submitted either
     * wholly in sequence or not at all.
     *
     * @param message the message
     * @param number decides the delivery thread: equal numbers share one
     * @param settlement is called when the message is settled; never, when it is withdrawn before it is in work
     * @throws IllegalStateException if this group is withdrawn
     */
    public void submitInSequence(Message message, int number, Settlement settlement) {
        requireOpen(message);
        deliveryThreads.addInSequence(new Entry(this, message, settlement, true), number);
    }

    private Entry entry(Message message, Settlement settlement) {
        requireOpen(message);
        return new Entry(this, message, settlement, false);
    }

    private void requireOpen(Message message) {
        if (withdrawn) {
            throw new IllegalStateException("the delivery group of " + message + " is withdrawn");
        }
    }

    /**
     * Takes back all messages that are not in work. What is in work at this moment goes on and may still be settled. May be
     * called again.
     */
    public void withdraw() {
        markWithdrawn();
        deliveryThreads.removeWithdrawn();
    }

    /** From now on none of its messages is handed in again; what waits behind one of them must not take its place. */
    void markWithdrawn() {
        withdrawn = true;
    }

    /**
     * Waits until none of the messages is in work. To be called after {@link #withdraw}. An interrupt does not shorten it; the
     * thread has it again afterwards.
     *
     * @param timeout how long to wait at most
     * @return false if a message is still in work
     */
    public boolean awaitIdle(Duration timeout) {
        return deliveryThreads.awaitIdle(this, timeout);
    }

    boolean isWithdrawn() {
        return withdrawn;
    }
}
