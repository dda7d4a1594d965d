package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one lane that are due. The transaction that works on them takes them: the row lock is the lease, and a crash
 * frees it. After a rollback the same ones are taken again, as far as nobody else has brought them further.
 */
final class DueWork<C extends HandlerContext> implements Intake<C> {
    private final RegisteredConsumer consumer;
    private final int lane;
    private final int limit;
    private @Nullable List<Envelope> group;

    DueWork(RegisteredConsumer consumer, int lane, int limit) {
        this(consumer, lane, limit, null);
    }

    private DueWork(RegisteredConsumer consumer, int lane, int limit, @Nullable List<Envelope> group) {
        this.consumer = consumer;
        this.lane = lane;
        this.limit = limit;
        this.group = group;
    }

    @Override
    public List<Envelope> group() {
        return group == null ? List.of() : group;
    }

    @Override
    public Intake<C> part(List<Envelope> part) {
        return new DueWork<>(consumer, lane, limit, part);
    }

    @Override
    public void admit(InboxTransaction<C> transaction, Desk<C> desk) {
        List<WorkItem> items = take(transaction);
        if (group == null) {
            group = items.stream().map(Envelope::of).toList();
        }
        Map<Long, WorkItem> taken = new HashMap<>();
        items.forEach(item -> taken.put(item.id(), item));
        for (Envelope envelope : group) {
            WorkItem before = envelope.item();
            @Nullable WorkItem now = before == null ? null : taken.get(before.id());
            if (before != null && now != null && now.attempts() == before.attempts()) {
                admit(envelope, now, desk);
            } else {
                envelope.propose(null);
            }
        }
    }

    private static <C extends HandlerContext> void admit(Envelope envelope, WorkItem item, Desk<C> desk) {
        Verdicts<C> verdicts = desk.verdicts();
        if (verdicts.isBlocked(envelope)) {
            verdicts.behind(envelope);
        } else if (verdicts.isByLease(envelope)) {
            verdicts.toBeLeased(envelope, item);
        } else {
            desk.handle(envelope);
        }
    }

    private List<WorkItem> take(InboxTransaction<C> transaction) {
        if ((group != null && group.isEmpty()) || !transaction.enter(consumer, lane)) {
            return List.of();
        }
        if (group == null) {
            return transaction.take(consumer, lane, limit);
        }
        List<Long> ids = new ArrayList<>();
        for (Envelope envelope : group) {
            WorkItem item = envelope.item();
            if (item != null) {
                ids.add(item.id());
            }
        }
        return transaction.retake(consumer, ids);
    }
}
