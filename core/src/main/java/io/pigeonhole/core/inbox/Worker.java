package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Start;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
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
    private final RunningBatches running;
    private final Set<Integer> visited = ConcurrentHashMap.newKeySet();

    /** Work partitions in which a thread of this process is at its first batch: two would take back each other's beginning. */
    private final Map<Integer, Thread> beginners = new ConcurrentHashMap<>();

    /** Work partitions that were begun with and are not ended, as far as the database could be reached. */
    private final Map<Integer, Begun> begun = new ConcurrentHashMap<>();

    /** Distinguishes the beginnings of this process from those of others. */
    private final String name = UUID.randomUUID().toString();

    /** The database refused the last work, and may do so with the next. */
    private volatile boolean refused;

    private record Begun(Start start, int starts) {}

    Worker(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            EngineSettings settings,
            InboxEngine<C> engine,
            LeaseWorker<C> leases,
            RunningBatches running) {
        this.running = running;
        // It may never come to its end, and others must be able to begin.
        var unusedForever = running.whenOneHangs(thread -> {
            beginners.values().removeIf(thread::equals);
            return true;
        });
        this.store = store;
        this.consumer = consumer;
        this.settings = settings;
        this.engine = engine;
        this.leases = leases;
    }

    /**
     * How many messages were brought further; 0 where there was nothing, or others were at it.
     *
     * @param progress hears what becomes of a message under a lease
     * @throws StoreUnavailableException if the database is away, or refuses to commit whatever it is
     */
    int work(Backlog.Due due, NodeInbox.Progress progress) {
        try {
            int brought = switch (due.kind()) {
                case ORDINARY -> workPartition(due.workPartition());
                case BY_LEASE ->
                    leases.work(due.workPartition(), progress::leased, failure -> progress.refused(refusal(failure)));
                case EXPIRING -> expired();
            };
            refused = refused && brought == 0;
            return brought;
        } catch (RetryableException e) {
            throw refusal(e);
        }
    }

    private RetryableException refusal(RetryableException failure) {
        boolean isOfDatabase =
                failure instanceof StoreUnavailableException || failure instanceof OutcomeUnknownException;
        if (isOfDatabase) {
            refused = refused || !(failure instanceof NoConnectionException);
            return failure;
        }
        if (store.classify(failure) != ErrorClass.UNAVAILABLE) {
            return failure;
        }
        refused = true;
        return new StoreUnavailableException(
                "the database answers, but refuses to commit: " + failure.getMessage(), failure);
    }

    /**
     * After the database has refused work, one write that is rolled back shows whether it still does, before handlers run again
     * for nothing.
     */
    private void requireWrites(int workPartition) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            if (transaction.enter(consumer, workPartition)) {
                transaction.requireLease(consumer, transaction.take(consumer, workPartition, 1, settings.workBytes()));
            }
        } catch (StoreException e) {
            if (store.classify(e) == ErrorClass.UNAVAILABLE) {
                throw new RetryableException(
                        "no message in work partition " + workPartition + " could be changed; try again", e);
            }
            log.debug(
                    "consumer '{}': whether work partition {} can be written was not found out",
                    consumer.name(),
                    workPartition,
                    e);
        }
    }

    void stopLeases(Predicate<Thread> workers) {
        leases.stop(workers);
    }

    /** Ends calls under leases that take too long, also while no connection can be had. */
    void lookAtLeases() {
        leases.look();
    }

    Map<Thread, Message> hanging() {
        return leases.hanging();
    }

    /** Leaves work whose handler does not return for leases, as far as its transaction is not open any more. */
    void leaseWhatHangs() {
        for (RunningBatches.Overdue overdue : running.overdueWork()) {
            if (lease(overdue.workPartition(), overdue.messages())) {
                overdue.left().run();
            }
        }
    }

    /** False where it is to be tried again: the transaction is still open, or the database did not answer. */
    private boolean lease(int workPartition, List<Envelope> messages) {
        Map<Long, Integer> attempts = new HashMap<>();
        for (Envelope envelope : messages) {
            WorkItem item = envelope.item();
            if (item != null) {
                attempts.put(item.id(), item.attempts());
            }
        }
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            if (!transaction.enter(consumer, workPartition)) {
                return false;
            }
            List<WorkItem> free = transaction.retake(consumer, List.copyOf(attempts.keySet()));
            List<WorkItem> open = free.stream()
                    .filter(item -> !item.byLease() && Objects.equals(attempts.get(item.id()), item.attempts()))
                    .toList();
            if (!open.isEmpty()) {
                transaction.requireLease(consumer, open);
                transaction.commit();
                log.warn(
                        "consumer '{}': the handler of {} has not returned for long, and the database has ended its transaction;"
                                + " from now on it is tried under a lease",
                        consumer.name(),
                        open.get(0).message());
            }
            return free.size() == attempts.size();
        } catch (PigeonholeException e) {
            log.debug(
                    "consumer '{}': work in work partition {} whose handler hangs could not be left for leases yet",
                    consumer.name(),
                    workPartition,
                    e);
            return false;
        }
    }

    private int workPartition(int workPartition) {
        if (refused) {
            requireWrites(workPartition);
        }
        DueWork<C> work = new DueWork<>(consumer, workPartition, settings);
        if (visited.contains(workPartition)) {
            return settle(work);
        }
        if (beginners.putIfAbsent(workPartition, Thread.currentThread()) != null) {
            return 0;
        }
        try {
            return firstBatch(workPartition, work);
        } finally {
            beginners.remove(workPartition, Thread.currentThread());
        }
    }

    /** An error leaves the beginning counted: what the batch does to this process may well be what ended others. */
    private int firstBatch(int workPartition, DueWork<C> work) {
        if (!begin(workPartition)) {
            return 0;
        }
        int progress;
        try {
            progress = settle(work);
        } catch (RuntimeException e) {
            end(workPartition);
            throw e;
        }
        if (work.hasEntered()) {
            if (survived(workPartition)) {
                visited.add(workPartition);
            }
        } else {
            end(workPartition);
        }
        return progress;
    }

    /** The batch is committed, whether that is noted or not. Where it is not, it is noted behind another batch. */
    private boolean survived(int workPartition) {
        return note(workPartition, left -> store.survived(consumer, left.start()), "survived its first batch");
    }

    /** This process is alive, whatever became of the batch. */
    private void end(int workPartition) {
        note(workPartition, left -> store.ended(consumer, left.start()), "was left in good order");
    }

    private boolean note(int workPartition, Consumer<Begun> note, String what) {
        Begun left = begun.get(workPartition);
        if (left == null) {
            return true;
        }
        boolean interrupted = Thread.interrupted(); // A node that closes must be able to note it.
        try {
            note.accept(left);
            begun.remove(workPartition);
            return true;
        } catch (PigeonholeException e) {
            log.debug("consumer '{}': that work partition {} {} is not noted", consumer.name(), workPartition, what, e);
            return false;
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
        try {
            engine.settle(intake, Map.of());
        } catch (RetryableException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            settleWithout(intake, e);
            if (brought(intake) == 0) {
                throw e;
            }
        }
        return brought(intake);
    }

    private static int brought(Intake<?> intake) {
        int brought = (int) intake.group().stream().filter(Envelope::hasOutcome).count();
        return brought == 0 && intake instanceof DueWork<?> work && work.leavesForLeases() ? 1 : brought;
    }

    /**
     * The inbox failed at a batch, which is a defect of it, of the store, or of a handler that ended the transaction: in halves
     * and quarters, so that the message that it fails at holds back nothing but its own key.
     */
    private void settleWithout(Intake<C> intake, Throwable failure) {
        List<Envelope> group = intake.group();
        logDefect(group, failure);
        if (group.size() > 1) {
            inHalves(intake, group);
        } else {
            leaveForLease(group, failure);
        }
    }

    /** Under a lease its attempts count, so that there is an end to them: it may commit what it does, each time. */
    private void leaveForLease(List<Envelope> one, Throwable failure) {
        if (failure instanceof VirtualMachineError) {
            return; // The process may be about to end, which is counted otherwise.
        }
        List<Long> ids = one.stream()
                .map(Envelope::item)
                .filter(Objects::nonNull)
                .filter(item -> !item.byLease())
                .map(WorkItem::id)
                .toList();
        if (ids.isEmpty()) {
            return;
        }
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            transaction.requireLease(consumer, transaction.retake(consumer, ids));
            transaction.commit();
        } catch (RuntimeException e) {
            log.debug(
                    "consumer '{}': {} could not be left for a lease",
                    consumer.name(),
                    one.get(0).message(),
                    e);
        }
    }

    private void inHalves(Intake<C> intake, List<Envelope> group) {
        int middle = group.size() / 2;
        for (List<Envelope> half : List.of(group.subList(0, middle), group.subList(middle, group.size()))) {
            List<Envelope> open =
                    half.stream().filter(envelope -> !envelope.hasOutcome()).toList();
            if (!open.isEmpty()) {
                settleHalf(intake, open);
            }
        }
    }

    private void settleHalf(Intake<C> intake, List<Envelope> half) {
        try {
            engine.settle(intake.part(half), Map.of());
        } catch (RetryableException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            if (half.size() > 1) {
                inHalves(intake, half);
            } else {
                logDefect(half, e);
                leaveForLease(half, e);
            }
        }
    }

    private void logDefect(List<Envelope> group, Throwable failure) {
        log.error(
                "consumer '{}': the inbox fails at {}, the others go on without; this is a defect",
                consumer.name(),
                group.size() == 1 ? group.get(0).message() : "one of " + group.size() + " messages in work",
                FailureText.readable(failure));
    }

    /**
     * A message that kills its process in a worker leaves no trace but this: the next process begins with the same message,
     * and none survives its first batch. After some such beginnings the batch goes on under leases, one by one and each
     * attempt counted first. Nodes that begin at the same moment are no such processes: all but one find the work partition taken and
     * take their beginning back, and what was begun a moment ago is waited for.
     *
     * @return false if there is nothing to begin with, or somebody else has just begun
     */
    private boolean begin(int workPartition) {
        try {
            List<WorkItem> batch = head(workPartition, false);
            if (batch.isEmpty()) {
                return false;
            }
            // Between the transactions, so that nobody holds one connection while waiting for another.
            int starts = started(workPartition, "" + batch.get(0).id());
            if (starts == 0) {
                return false;
            }
            if (starts > settings.crashLimit()) {
                log.warn(
                        "consumer '{}': {} processes in a row began with the same message in work partition {} and did not get beyond"
                                + " their first batch; its {} messages are worked on one by one",
                        consumer.name(),
                        starts - 1,
                        workPartition,
                        batch.size());
                head(workPartition, true);
            }
            return true;
        } catch (StoreException e) {
            throw new RetryableException(
                    "the work in work partition " + workPartition + " could not be begun; try again", e);
        }
    }

    private int started(int workPartition, String position) {
        Begun before = begun.get(workPartition);
        if (before != null && before.start().position().equals(position)) {
            return before.starts();
        }
        Start start = new Start("work partition " + workPartition, position, name);
        int starts = store.started(consumer, start, settings.crashLimit(), BEGINNING);
        if (starts > 0) {
            begun.put(workPartition, new Begun(start, starts));
        }
        return starts;
    }

    /** The batch that would be taken now. */
    private List<WorkItem> head(int workPartition, boolean toBeLeased) {
        try (InboxTransaction<C> transaction = store.begin(settings.handlerTimeout())) {
            List<WorkItem> batch = transaction.enter(consumer, workPartition)
                    ? transaction.take(consumer, workPartition, settings.workBatch(), settings.workBytes())
                    : List.of();
            if (toBeLeased && !batch.isEmpty()) {
                transaction.requireLease(consumer, batch);
                transaction.commit();
            }
            return batch;
        }
    }
}
