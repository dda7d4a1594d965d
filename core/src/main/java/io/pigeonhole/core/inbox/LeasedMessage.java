package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.List;
import java.util.function.Consumer;

/** One message under a lease. The transaction that finishes it begins by making sure that the lease is still the newest. */
final class LeasedMessage<C extends HandlerContext> implements Intake<C> {
    private final RegisteredConsumer consumer;
    private final WorkItem item;
    private final Envelope envelope;
    private final Consumer<Desk<C>> decision;
    private boolean fenced;

    /**
     * A leased message.
     *
     * @param envelope the message
     * @param decision what is to be done with it, while the lease is held
     */
    LeasedMessage(RegisteredConsumer consumer, WorkItem item, Envelope envelope, Consumer<Desk<C>> decision) {
        this.consumer = consumer;
        this.item = item;
        this.envelope = envelope;
        this.decision = decision;
    }

    /** Whether somebody else has a newer lease, or has finished the message. */
    boolean isFenced() {
        return fenced;
    }

    @Override
    public List<Envelope> group() {
        return List.of(envelope);
    }

    @Override
    public Intake<C> part(List<Envelope> part) {
        return this;
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Desk<C> desk) {
        fenced = !transaction.hold(consumer, item);
        if (fenced) {
            envelope.propose(null);
        } else {
            decision.accept(desk);
        }
    }
}
