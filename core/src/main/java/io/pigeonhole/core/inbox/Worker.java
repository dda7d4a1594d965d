package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Works on what is due in the database: one batch, one leased message, or one round of expired leases at a time. */
final class Worker<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);

    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final InboxEngine<C> engine;
    private final LeaseWorker<C> leases;
    private final Set<Integer> visited = ConcurrentHashMap.newKeySet();

    Worker(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            EngineSettings settings,
            InboxEngine<C> engine,
            LeaseWorker<C> leases) {
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.engine = engine;
        this.leases = leases;
    }

    /** How many messages were brought further; 0 where there was nothing, or others were at it. */
    int work(Backlog.Due due) {
        return switch (due.kind()) {
            case ORDINARY -> lane(due.lane());
            case BY_LEASE -> leases.work(due.lane());
            case EXPIRING -> expired();
        };
    }

    private int lane(int lane) {
        if (!visited.contains(lane)) {
            firstVisit(lane);
        }
        DueWork<C> work = new DueWork<>(consumer, lane, settings.workBatch());
        engine.settle(work, Map.of());
        return work.group().size();
    }

    private int expired() {
        ExpiredLeases<C> expired = new ExpiredLeases<>(consumer, settings.workBatch());
        engine.settle(expired, Map.of());
        return expired.group().size();
    }

    /**
     * A message that kills its process in a worker leaves no trace but this: the next process begins with the same message.
     * After some such beginnings the batch goes on under leases, one by one and each attempt counted first.
     */
    private void firstVisit(int lane) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            List<WorkItem> head = transaction.enter(consumer, lane)
                    ? transaction.take(consumer, lane, settings.workBatch())
                    : List.of();
            if (head.isEmpty()) {
                return;
            }
            int starts =
                    store.started(consumer, "lane " + lane, "" + head.get(0).id());
            if (starts > settings.crashLimit()) {
                log.warn(
                        "consumer '{}': processes began {} times with the same message in lane {}; its {} due messages are"
                                + " worked on one by one",
                        consumer.name(),
                        starts,
                        lane,
                        head.size());
                transaction.requireLease(consumer, head);
                transaction.commit();
            }
        }
        visited.add(lane);
    }
}
