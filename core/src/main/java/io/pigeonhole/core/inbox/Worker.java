package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Works on what is due in the database: one batch, one leased message, or one round of expired leases at a time. */
final class Worker<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);

    /** Within this time whoever has noted a beginning is at work, or dead, or was stopped. */
    private static final Duration BEGINNING = Duration.ofSeconds(5);

    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final EngineSettings settings;
    private final InboxEngine<C> engine;
    private final LeaseWorker<C> leases;
    private final Set<Integer> visited = ConcurrentHashMap.newKeySet();

    /** Lanes in which a thread of this process is at its first batch: two would take back each other's beginning. */
    private final Set<Integer> beginners = ConcurrentHashMap.newKeySet();

    /** Lanes that were begun with and are not ended, as far as the database could be reached. */
    private final Map<Integer, Begun> begun = new ConcurrentHashMap<>();

    private record Begun(String position, int starts) {}

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

    void stopLeases(Predicate<Thread> workers) {
        leases.stop(workers);
    }

    Map<Thread, Message> hanging() {
        return leases.hanging();
    }

    private int lane(int lane) {
        DueWork<C> work = new DueWork<>(consumer, lane, settings);
        if (visited.contains(lane)) {
            return settle(work);
        }
        if (!beginners.add(lane)) {
            return 0;
        }
        try {
            return firstBatch(lane, work);
        } finally {
            beginners.remove(lane);
        }
    }

    /** An error leaves the beginning counted: what the batch does to this process may well be what ended others. */
    private int firstBatch(int lane, DueWork<C> work) {
        if (!begin(lane)) {
            return 0;
        }
        int progress;
        try {
            progress = settle(work);
        } catch (RuntimeException e) {
            end(lane);
            throw e;
        }
        if (work.hasEntered()) {
            store.started(consumer, what(lane), "survived");
            begun.remove(lane);
            visited.add(lane);
        } else {
            end(lane);
        }
        return progress;
    }

    /** This process is alive, whatever became of the batch. */
    private void end(int lane) {
        Begun left = begun.get(lane);
        if (left == null) {
            return;
        }
        boolean interrupted = Thread.interrupted(); // A node that closes must be able to note it.
        try {
            store.ended(consumer, what(lane), left.position());
            begun.remove(lane);
        } catch (PigeonholeException e) {
            log.debug("consumer '{}': that lane {} was left in good order is not noted", consumer.name(), lane, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int expired() {
        return settle(new ExpiredLeases<>(consumer, settings));
    }

    private int settle(Intake<C> intake) {
        engine.settle(intake, Map.of());
        return (int) intake.group().stream().filter(Envelope::hasOutcome).count();
    }

    /**
     * A message that kills its process in a worker leaves no trace but this: the next process begins with the same message,
     * and none survives its first batch. After some such beginnings the batch goes on under leases, one by one and each
     * attempt counted first. Nodes that begin at the same moment are no such processes: all but one find the lane taken and
     * take their beginning back, and what was begun a moment ago is waited for.
     *
     * @return false if there is nothing to begin with, or somebody else has just begun
     */
    private boolean begin(int lane) {
        try {
            List<WorkItem> batch = head(lane, false);
            if (batch.isEmpty()) {
                return false;
            }
            // Between the transactions, so that nobody holds one connection while waiting for another.
            int starts = started(lane, "" + batch.get(0).id());
            if (starts == 0) {
                return false;
            }
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

    private int started(int lane, String position) {
        Begun before = begun.get(lane);
        if (before != null && before.position().equals(position)) {
            return before.starts();
        }
        int starts = store.started(consumer, what(lane), position, settings.crashLimit(), BEGINNING);
        if (starts > 0) {
            begun.put(lane, new Begun(position, starts));
        }
        return starts;
    }

    /** The batch that would be taken now. */
    private List<WorkItem> head(int lane, boolean toBeLeased) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            List<WorkItem> batch = transaction.enter(consumer, lane)
                    ? transaction.take(consumer, lane, settings.workBatch(), settings.workBytes())
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
