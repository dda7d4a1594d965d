package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.LeaseExpiredException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.List;

/** Messages whose leases have run out: the attempt that began with each has failed, with that as its reason. */
final class ExpiredLeases<C extends HandlerContext> implements Intake<C> {
    private final RegisteredConsumer consumer;
    private final int limit;
    private List<Envelope> group = List.of();

    ExpiredLeases(RegisteredConsumer consumer, int limit) {
        this.consumer = consumer;
        this.limit = limit;
    }

    @Override
    public List<Envelope> group() {
        return group;
    }

    @Override
    public Intake<C> part(List<Envelope> part) {
        return this;
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Desk<C> desk) {
        List<Envelope> found = new ArrayList<>();
        for (ExpiredLease lease : transaction.takeExpired(consumer, limit)) {
            Envelope envelope = Envelope.of(lease.item());
            LeaseExpiredException reason = new LeaseExpiredException(lease.owner(), lease.overdue());
            desk.verdicts().failed(envelope, new Failure(reason, ErrorClass.MESSAGE, lease.held()));
            found.add(envelope);
        }
        group = found;
    }
}
