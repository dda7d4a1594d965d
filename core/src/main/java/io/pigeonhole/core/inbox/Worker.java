package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
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
        boolean firstVisit = !visited.contains(lane);
        if (firstVisit && !begin(lane)) {
            return 0;
        }
        int progress = settle(new DueWork<>(consumer, lane, settings.workBatch()));
        if (firstVisit) {
            store.started(consumer, what(lane), "survived");
            visited.add(lane);
        }
        return progress;
    }

    private int expired() {
        return settle(new ExpiredLeases<>(consumer, settings.workBatch()));
    }

    private int settle(Intake<C> intake) {
        engine.settle(intake, Map.of());
        return (int) intake.group().stream().filter(Envelope::hasOutcome).count();
    }

    /**
     * A message that kills its process in a worker leaves no trace but this: the next process begins with the same message,
     * and none survives its first batch. After some such beginnings the batch goes on under leases, one by one and each
     * attempt counted first.
     *
     * @return false if there is nothing to begin with
     */
    private boolean begin(int lane) {
        try {
            List<WorkItem> batch = head(lane, false);
            if (batch.isEmpty()) {
                return false;
            }
            // Between the transactions, so that nobody holds one connection while waiting for another.
            int starts = store.started(consumer, what(lane), "" + batch.get(0).id());
            if (starts > settings.crashLimit()) {
                log.warn(
                        "consumer '{}': {} processes in a row began with the same message in lane {} and did not get beyond"
                                + " their first batch; its {} messages are worked on one by one",
                        consumer.name(),
                        starts - 1,
                        lane,
                        batch.size());
                head(lane, true);
            }
            return true;
        } catch (StoreException e) {
            throw new RetryableException("the work in lane " + lane + " could not be begun; try again", e);
        }
    }

    /** The batch that would be taken now. */
    private List<WorkItem> head(int lane, boolean toBeLeased) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            List<WorkItem> batch = transaction.enter(consumer, lane)
                    ? transaction.take(consumer, lane, settings.workBatch())
                    : List.of();
            if (toBeLeased && !batch.isEmpty()) {
                transaction.requireLease(consumer, batch);
                transaction.commit();
            }
            return batch;
        }
    }

    private static String what(int lane) {
        return "lane " + lane;
    }
}
