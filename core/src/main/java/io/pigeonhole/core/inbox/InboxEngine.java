package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a batch of deliveries to its outcomes, in as few transactions as its failures allow.
 *
 * <ol>
 *   <li><em>Together.</em> One transaction without savepoints for all of them; nearly always it commits and that was all.
 *   <li><em>Once more.</em> A handler failed: all anew; the message that failed is parked instead of run.
 *   <li><em>Isolated.</em> Somebody else failed, or it is not known who (a list handler, a refused COMMIT, an error that a
 *       handler hid): chunks of at most {@value #CHUNK} messages, each message under a savepoint, so that every one that
 *       fails is parked and the others commit.
 *   <li><em>Alone.</em> Even a chunk was refused as a whole, at its COMMIT or where it was written: a transaction for each
 *       message. One for which the database refuses to write even then is a dead letter, and if need be a bare one.
 * </ol>
 *
 * <p>Infrastructure errors (deadlocks, serialization failures, a lost connection while the database is there) are
 * tried again without an attempt, but only so often; after that they are the failure of the message that meets them. A
 * database that is away ends the call with an exception, while a full disk that only some table is on lets the messages that
 * need it wait in work, without an attempt: whoever called hands the same messages in again, and the ledger
 * knows which of them were committed. A process that dies anywhere here leaves whole transactions or none.
 */
final class InboxEngine<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(InboxEngine.class);

    /** Half of the 64 subtransactions that PostgreSQL keeps in a backend's cache. */
    private static final int CHUNK = 32;

    private final InboxStore<C> store;
    private final RegisteredConsumer consumer;
    private final Routing<C> routing;
    private final EngineSettings settings;
    private final Listeners listeners;
    private final WorkSignal signal;
    private final LateFlood flood;
    private final FutureFlood future;
    private final IdsFarAhead farAhead;
    private final TrialClaims<C> trials;
    private final RunningBatches running;
    private final NotStoredWarnings notStored;
    private final HeldBack heldBack = new HeldBack(System::nanoTime);
    private final RareWarning fullDisk = new RareWarning(log, System::nanoTime);
    private final SuspectWarning suspects;
    private final KeysAtWork atWork = new KeysAtWork();

    InboxEngine(
            InboxStore<C> store,
            RegisteredConsumer consumer,
            Routing<C> routing,
            EngineSettings settings,
            Listeners listeners,
            WorkSignal signal,
            LateFlood flood,
            RunningBatches running) {
        this.trials = new TrialClaims<>(store, consumer, settings, System::nanoTime);
        this.flood = flood;
        this.future = new FutureFlood(consumer.name(), flood.limit(), System::nanoTime, trials::endOfLedger);
        this.farAhead = new IdsFarAhead(System::nanoTime, trials::knownByDigestKey, trials::requireEndOfLedger);
        this.running = running;
        var unusedForever = running.whenOneHangs(thread -> {
            atWork.leaveAllOf(thread);
            return true;
        });
        this.notStored = new NotStoredWarnings(consumer.name(), System::nanoTime);
        this.suspects = new SuspectWarning(consumer.name(), settings.crashLimit(), System::nanoTime);
        this.store = store;
        this.consumer = consumer;
        this.routing = routing;
        this.settings = settings;
        this.listeners = listeners;
        this.signal = signal;
    }

    List<Outcome> process(List<Message> messages, Reception reception) {
        if (messages.isEmpty()) {
            return List.of();
        }
        Batch batch = Batch.of(messages, consumer, settings.conflicts());
        boolean whole = batch.rounds().size() == 1;
        for (List<Envelope> round : batch.rounds()) {
            IdsFarAhead.Undecided undecided = farAhead.takeDigestKeys(round);
            List<Envelope> decided = withoutRefused(round, undecided.refused());
            List<Envelope> inTime = holdBack(flood.heldBack(decided), decided);
            List<Envelope> passing = holdBack(future.heldBack(inTime), inTime);
            if (!passing.isEmpty()) {
                process(passing, undecided.busy(), whole && passing.size() == round.size(), batch, reception);
            }
        }
        return batch.outcomes(listeners);
    }

    private List<Envelope> withoutRefused(List<Envelope> round, Map<Envelope, StoreException> refused) {
        if (refused.isEmpty()) {
            return round;
        }
        if (consumer.order().isKept()) {
            throw TransactionRun.refusedItself(
                    round.size(), refused.values().iterator().next());
        }
        refused.forEach(this::refused);
        return round.stream().filter(envelope -> !refused.containsKey(envelope)).toList();
    }

    /** Why messages are held back now, or null: they belong to a flood, or the database refuses to take or to keep them. */
    @Nullable
    String heldBack() {
        return heldBack.why();
    }

    /** Messages of a flood wait by themselves: whatever else is in the call goes on, but for what must not overtake them. */
    private List<Envelope> holdBack(Map<Envelope, String> held, List<Envelope> round) {
        if (held.isEmpty()) {
            return round;
        }
        heldBack.note(held.values().iterator().next());
        List<Envelope> passing = new ArrayList<>(round.size());
        for (Envelope envelope : round) {
            @Nullable String why = held.get(envelope);
            if (why == null) {
                passing.add(envelope);
            } else {
                setAside(envelope, why);
            }
        }
        return passing;
    }

    void probeClaim() {
        trials.probeClaim();
    }

    /** The keys of those that are undecided count as keys that somebody else has. */
    private void process(
            List<Envelope> round, List<Envelope> undecided, boolean isWhole, Batch batch, Reception reception) {
        List<MessageKey> keys = new ArrayList<>(round.size());
        for (Envelope envelope : round) {
            if (envelope.byLedger()) {
                keys.add(envelope.key());
            }
        }
        if (!undecided.isEmpty()) {
            keys.removeAll(undecided.stream().map(Envelope::key).toList());
        }
        Set<MessageKey> busyHere = atWork.enter(keys, settings.concurrentDuplicateTimeout());
        try {
            Set<MessageKey> busy = undecided.isEmpty() ? busyHere : new HashSet<>(busyHere);
            undecided.forEach(envelope -> busy.add(envelope.key()));
            if (keys.isEmpty() && round.stream().allMatch(Envelope::byLedger)) {
                round.forEach(this::busyHere);
                return;
            }
            Deliveries<C> deliveries =
                    new Deliveries<>(consumer, settings, suspects, reception, batch.distinct(), round, busy);
            settle(isWhole ? deliveries : deliveries.part(round), Map.of());
        } finally {
            atWork.leave(keys);
        }
    }

    /** There is nothing to be asked of the database. */
    private void busyHere(Envelope envelope) {
        envelope.propose(new Outcome.Busy("another thread or transaction is working on the same message"));
        settleAndNotify(envelope);
    }

    private void setAside(Envelope envelope, String why) {
        envelope.setAside(why);
        settleAndNotify(envelope);
    }

    private void settleAndNotify(Envelope envelope) {
        envelope.settle();
        listeners.outcome(envelope.message(), envelope.outcome());
    }

    /**
     * Brings the messages of an intake to their outcomes.
     *
     * @param known messages that have failed already, with their failures
     */
    void settle(Intake<C> intake, Map<Envelope, Failure> known) {
        RunningBatches.Running batch = running.begin(intake);
        try {
            Runnable work = () -> settle(intake, known, false, batch);
            if (intake instanceof DueWork<C>) {
                work.run();
            } else {
                listeners.aroundBatch(intake.group(), work);
            }
            batch.suspectWhatOthersHave();
        } finally {
            batch.end();
        }
    }

    /** The same; together in one transaction first, or isolated. */
    private void settle(
            Intake<C> intake, Map<Envelope, Failure> known, boolean isolated, RunningBatches.Running batch) {
        Retries retries = new Retries();
        Map<Envelope, Failure> failing = new HashMap<>(known);
        boolean inHalves = false;
        while (true) {
            RunResult.RolledBack result = run(intake, new Plan(failing, inHalves, isolated), batch);
            if (result == null) {
                return;
            }
            if (batch.hasHung()) {
                throw returnedTooLate(intake.group().size(), result.failure().cause());
            }
            if (result instanceof RunResult.NotTaken) {
                notTaken(intake, known, isolated, result, batch);
                return;
            }
            if (result instanceof RunResult.Transient && retries.another()) {
                continue;
            }
            if (isFullDisk(result)) {
                fullDisk(result.failure());
            }
            if (isBlocked(result) && !inHalves) {
                inHalves = true;
                continue;
            }
            boolean isFirst = failing.size() == known.size();
            Envelope culprit = isolated ? culprit(result, intake.group()) : culpritOfAll(result, isFirst);
            if (culprit == null) {
                inParts(intake, known, isolated, result, batch);
                return;
            }
            Failure before = failing.get(culprit);
            if (culprit.item() == null && isNeverStored(result, before)) {
                neverStored(culprit, result.failure().cause());
                return;
            }
            failing.put(culprit, verdict(result, before, intake.group().size()));
            retries = isolated ? new Retries() : retries;
        }
    }

    /** Not caused by what the handler met, which may be the failure of another database, and says nothing about the store. */
    private static RetryableException returnedTooLate(int messages, Throwable failure) {
        RetryableException late = new RetryableException(
                "a handler has returned so late that others have its " + messages
                        + " messages by now; nothing was committed, hand them in again",
                null);
        late.addSuppressed(failure);
        return late;
    }

    private void fullDisk(Failure failure) {
        fullDisk.give("consumer '" + consumer.name()
                + "': a table has no room on its disk, or cannot be written. Messages that need"
                + " it wait in work and are tried again; no attempt is counted while they are younger than twelve hours, but for"
                + " those under a lease. Make room: " + failure.describe());
    }

    /** Whether a transaction elsewhere holds something: in halves, what it does not hold goes on. */
    private static boolean isBlocked(RunResult.RolledBack result) {
        return result instanceof RunResult.Blocked || result.failure().cause() instanceof WorkPartitionBusyException;
    }

    /** In smaller transactions: chunks of all messages, or one for each message of a chunk. */
    private void inParts(
            Intake<C> intake,
            Map<Envelope, Failure> known,
            boolean isolated,
            RunResult.RolledBack result,
            RunningBatches.Running batch) {
        List<Envelope> group = intake.group();
        if (group.isEmpty()) {
            throw giveUp(0, result.failure().cause());
        }
        int size = isolated ? 1 : CHUNK;
        for (int from = 0; from < group.size(); from += size) {
            settle(intake.part(group.subList(from, Math.min(from + size, group.size()))), known, true, batch);
        }
    }

    /**
     * Alone it shows which message the database does not take: a page of the ledger that is damaged, or a trigger of somebody's, is
     * about few keys. It waits with those behind it, and the others go on. Not where an order is kept, in which others would pass it. Or
     * else it is the database that is to be mended, and no message is given back to its broker, which may count that.
     */
    private void notTaken(
            Intake<C> intake,
            Map<Envelope, Failure> known,
            boolean isolated,
            RunResult.RolledBack result,
            RunningBatches.Running batch) {
        List<Envelope> group = intake.group();
        Throwable refusal = result.failure().cause();
        if (!(intake instanceof Deliveries<C>) || consumer.order().isKept()) {
            throw TransactionRun.refusedItself(group.size(), refusal);
        }
        if (group.size() > 1) {
            inParts(intake, known, isolated, result, batch);
            return;
        }
        Envelope alone = group.get(0);
        String behind = alone.heldBack();
        if (behind != null) {
            alone.propose(new Outcome.Busy(behind));
            settleAndNotify(alone);
            return;
        }
        if (!trials.isAnyTaken(refusal)) {
            throw TransactionRun.refusedItself(group.size(), refusal);
        }
        refused(alone, refusal);
    }

    /** Not set aside: those behind it with its ordering key wait. */
    private void refused(Envelope envelope, Throwable refusal) {
        notStored.refused(envelope.message(), refusal);
        String why = "the database refuses to take it: " + ErrorText.bounded(refusal.getMessage());
        heldBack.note(envelope.message() + ": " + why);
        envelope.propose(new Outcome.Busy(why));
        settleAndNotify(envelope);
    }

    private void neverStored(Envelope culprit, Throwable cause) {
        notStored.busy(culprit.message(), cause);
        String why = "the database refuses to keep it, even as a dead letter without its bytes: "
                + ErrorText.bounded(cause.getMessage());
        heldBack.note(culprit.message() + ": " + why);
        setAside(culprit, why);
    }

    /**
     * The first message that fails of all messages together is parked without running again; with a second one they are
     * isolated.
     */
    private static @Nullable Envelope culpritOfAll(RunResult.RolledBack result, boolean isFirst) {
        return isFirst && result instanceof RunResult.Culprit known ? known.envelope() : null;
    }

    /** Who is to be parked after isolated messages failed as a whole; null where only transactions of their own can find out. */
    private static @Nullable Envelope culprit(RunResult.RolledBack result, List<Envelope> chunk) {
        if (result instanceof RunResult.Culprit known) {
            return known.envelope();
        }
        if (result instanceof RunResult.Transient passing) {
            if (passing.beforeHandlers()) {
                throw giveUp(chunk.size(), passing.failure().cause());
            }
            if (passing.envelope() != null) {
                return passing.envelope();
            }
        }
        return chunk.size() == 1 ? chunk.get(0) : null;
    }

    /** Whether the database has refused a message, alone in its transaction, and then its dead letter with and without its bytes. */
    private static boolean isNeverStored(RunResult.RolledBack result, @Nullable Failure before) {
        return result instanceof RunResult.Refused
                && before != null
                && before.cause() instanceof NotStoredException refusal
                && refusal.isBare();
    }

    /**
     * The failure that a message is parked with next. One that the database refuses to keep, alone in its transaction, is a
     * dead letter; if that is refused too, a bare one. There is an end to this, unless the database takes not even that.
     */
    private static Failure verdict(RunResult.RolledBack result, @Nullable Failure before, int messages) {
        boolean refused = result instanceof RunResult.Refused;
        if (before == null && !refused) {
            return failure(result);
        }
        NotStoredException earlier = before != null && before.cause() instanceof NotStoredException e ? e : null;
        if (!refused || (earlier != null && earlier.isBare())) {
            throw giveUp(messages, result.failure().cause());
        }
        NotStoredException refusal =
                new NotStoredException(earlier != null, result.failure().cause());
        return new Failure(refusal, ErrorClass.PERMANENT, result.failure().duration());
    }

    /** Other errors of a database that is away pass, or are met before there is anything to decide. */
    private static boolean isFullDisk(RunResult.RolledBack result) {
        return result.failure().errorClass() == ErrorClass.UNAVAILABLE && !(result instanceof RunResult.Transient);
    }

    /** What nobody is to blame for, met too often, is the failure of the message that meets it. */
    private static Failure failure(RunResult.RolledBack result) {
        Failure failure = result.failure();
        return failure.isPermanent() || isFullDisk(result) ? failure : failure.ofMessage();
    }

    private static RetryableException giveUp(int messages, @Nullable Throwable cause) {
        return new RetryableException(
                "of " + messages
                        + " messages none could be committed, however often it was tried, and none is at fault; hand them in"
                        + " again",
                cause);
    }

    /** Runs one transaction; null where it was committed. */
    private RunResult.@Nullable RolledBack run(Intake<C> intake, Plan plan, RunningBatches.Running batch) {
        RunResult result =
                new TransactionRun<>(store, consumer, routing, settings, listeners, intake, plan, batch).run();
        if (result instanceof RunResult.RolledBack rolledBack) {
            listeners.rollback(intake.group().size(), rolledBack.failure().cause());
            return rolledBack;
        }
        for (Envelope envelope : intake.group()) {
            Outcome outcome = envelope.settle();
            if (outcome != null) {
                listeners.outcome(envelope.message(), outcome);
            }
            NotStoredException refusal = plan.refusalOf(envelope);
            if (refusal != null && outcome instanceof Outcome.Dead dead) {
                notStored.dead(envelope.message(), refusal.isBare(), dead.detail());
            }
            MessageKey boundary = envelope.boundary();
            if (boundary != null && outcome instanceof Outcome.Dead dead && dead.reason() == DeadReason.LATE) {
                flood.note(boundary);
            }
            MessageKey end = envelope.endOfLedger();
            if (end != null && outcome instanceof Outcome.Dead) {
                future.note(end);
            }
        }
        if (result instanceof RunResult.Committed committed && !committed.due().isEmpty()) {
            signal.workIsStored(committed.due());
        }
        return null;
    }
}
