package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One message under a lease. The transaction that finishes it begins by making sure that the lease is still the newest. */
final class LeasedMessage<C extends HandlerContext> implements Intake<C> {
    private final RegisteredConsumer consumer;
    private final WorkItem item;
    private final Envelope envelope;
    private final Consumer<Dispatcher<C>> decision;
    private final BooleanSupplier isFresh;
    private @Nullable Outcome uncertain;
    private boolean fenced;

    /**
     * A leased message.
     *
     * @param envelope the message
     * @param decision what is to be done with it, while the lease is held
     * @param isFresh whether the lease cannot have run out by now
     */
    LeasedMessage(
            RegisteredConsumer consumer,
            WorkItem item,
            Envelope envelope,
            Consumer<Dispatcher<C>> decision,
            BooleanSupplier isFresh) {
        this.consumer = consumer;
        this.item = item;
        this.envelope = envelope;
        this.decision = decision;
        this.isFresh = isFresh;
    }

    /** Whether somebody else has a newer lease, or has finished the message. */
    boolean isFenced() {
        return fenced;
    }

    /** Its last transaction may be committed or not. If it is, nobody can hold the lease again. */
    void commitIsUnknown() {
        Outcome proposed = envelope.proposed();
        if (proposed != null) {
            uncertain = proposed;
        }
    }

    /** Whether only the database knows what became of it. */
    boolean isUncertain() {
        return uncertain != null;
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
    public void admit(InboxTransaction<C> transaction, Dispatcher<C> dispatcher) {
        boolean held = transaction.hold(consumer, item);
        Outcome mine = held || uncertain == null ? null : uncertain;
        fenced = !held && (mine == null || !isCommitted(transaction, mine));
        if (fenced) {
            envelope.propose(null);
        } else if (!held) {
            envelope.propose(mine);
        } else {
            decision.accept(dispatcher);
        }
    }

    /**
     * Whether the transaction whose commit was unknown is what ended the lease. A message that is neither in work nor dead was
     * finished; nobody else can have done so before a lease ran out, a failed attempt was recorded and its delay was over. One
     * that is may have been kept by whoever found that the lease had run out, unless it cannot have run out even now.
     */
    private boolean isCommitted(InboxTransaction<C> transaction, Outcome mine) {
        boolean unfinished = !transaction.known(consumer, List.of(item.key())).isEmpty();
        boolean finishes = !(mine instanceof Outcome.Parked || mine instanceof Outcome.Dead);
        return finishes ? !unfinished : unfinished && isFresh.getAsBoolean();
    }
}
