package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.LeaseExpiredException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages whose leases have run out: the attempt that began with each has failed, with that as its reason. */
final class ExpiredLeases<C extends HandlerContext> implements Intake<C> {
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    /** What is found anew each time; or a part of what was found before, of which no more is taken. */
    private final boolean isPart;

    private List<Envelope> group;

    ExpiredLeases(RegisteredConsumer consumer, EngineSettings settings) {
        this(consumer, settings, false, List.of());
    }

    private ExpiredLeases(RegisteredConsumer consumer, EngineSettings settings, boolean isPart, List<Envelope> group) {
        this.consumer = consumer;
        this.settings = settings;
        this.isPart = isPart;
        this.group = group;
    }

    @Override
    public List<Envelope> group() {
        return group;
    }

    @Override
    public Intake<C> part(List<Envelope> part) {
        return new ExpiredLeases<>(consumer, settings, true, part);
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Dispatcher<C> dispatcher) {
        List<Envelope> found = new ArrayList<>();
        group.forEach(envelope -> envelope.propose(null));
        List<ExpiredLease> expired = transaction.takeExpired(consumer, settings.workBatch(), settings.workBytes());
        for (ExpiredLease lease : expired) {
            Envelope envelope = known(lease.item());
            if (envelope != null) {
                LeaseExpiredException reason = new LeaseExpiredException(lease.owner(), lease.overdue());
                dispatcher.decisions().failed(envelope, new Failure(reason, ErrorClass.MESSAGE, lease.held()));
                found.add(envelope);
            }
        }
        if (!isPart) {
            group = found;
        }
    }

    private @Nullable Envelope known(WorkItem item) {
        if (!isPart) {
            return Envelope.of(item);
        }
        for (Envelope envelope : group) {
            WorkItem before = envelope.item();
            if (before != null && before.id() == item.id() && before.token() == item.token()) {
                return envelope;
            }
        }
        return null;
    }
}
