package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.retry.RetryDecision;
import io.pigeonhole.core.store.Backlog.Kind;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction decides about its messages. Each decision is a proposed outcome, the rows to be written for it, and
 * where the message is kept, that those of its ordering key stay behind it.
 */
final class Decisions<C extends HandlerContext> {
    /** Longer than a night in which nobody is on call. */
    private static final Duration LONGEST_WAIT_FOR_ROOM = Duration.ofHours(12);

    private final RegisteredConsumer consumer;
    private final Routing<C> routing;
    private final EngineSettings settings;
    private final Plan plan;
    private final FailureJudge<C> judge;
    private final BlockedKeys blocked;
    private final CollectedWrites writes;

    Decisions(RegisteredConsumer consumer, Routing<C> routing, EngineSettings settings, Plan plan) {
        this.consumer = consumer;
        this.routing = routing;
        this.settings = settings;
        this.plan = plan;
        this.judge = new FailureJudge<>(routing);
        this.blocked = new BlockedKeys(consumer);
        this.writes = new CollectedWrites(consumer);
    }

    /** The keys whose messages must stay behind others. */
    BlockedKeys blocked() {
        return blocked;
    }

    /** What is to be written before the commit. */
    CollectedWrites writes() {
        return writes;
    }

    boolean isBlocked(Envelope envelope) {
        return blocked.contains(envelope.message());
    }

    void processed(Envelope envelope) {
        finished(envelope, new Outcome.Processed());
    }

    private void finished(Envelope envelope, Outcome outcome) {
        envelope.propose(outcome);
        WorkItem item = envelope.item();
        if (item != null) {
            writes.finish(item);
        }
        if (settings.history() != HistoryMode.NONE) {
            boolean withPayload = settings.history() == HistoryMode.WITH_PAYLOAD;
            writes.record(
                    envelope, new FinishedMessage(envelope.key(), envelope.message(), envelope.attempt(), withPayload));
        }
    }

    /** The message's handler, or something on its behalf, failed. */
    void failed(Envelope envelope, Failure failure) {
        if (isRefused(envelope, envelope.key(), true)) {
            return;
        }
        if (failure.errorClass() == ErrorClass.UNAVAILABLE && mayWaitForRoom(envelope)) {
            waitsForRoom(envelope, failure);
            return;
        }
        RetryDecision decision = judge.judge(envelope, failure);
        String error = failure.describe();
        if (decision instanceof RetryDecision.Ignore) {
            finished(envelope, new Outcome.Ignored(error));
            return;
        }
        FailedAttempt attempt = failure.attempt(envelope.attempt(), settings.node());
        if (decision instanceof RetryDecision.Retry retry) {
            retry(envelope, retry.delay(), attempt);
            envelope.propose(new Outcome.Parked(envelope.attempt(), retry.delay(), error));
        } else if (decision instanceof RetryDecision.GiveUp giveUp) {
            letter(envelope, envelope.key(), new Unusable(giveUp.reason(), error), true, attempt);
        }
    }

    private void retry(Envelope envelope, Duration delay, FailedAttempt attempt) {
        WorkItem item = envelope.item();
        if (item == null) {
            writes.park(envelope, new ParkedMessage(envelope.key(), envelope.message(), delay, attempt));
        } else {
            writes.postpone(envelope, new PostponedItem(item, delay, attempt));
        }
        blocked.addKeyOf(envelope.message());
    }

    /** The message is given up on before any handler saw it. */
    void dead(Envelope envelope, Unusable why, boolean claimed) {
        letter(envelope, envelope.key(), why, claimed, null);
    }

    /** All attempts that its policy allows have failed, and whoever noted the last could not give up on it. */
    void exhausted(Envelope envelope) {
        int failed = envelope.attemptForPolicy() - 1;
        int allowed = routing.retryOf(envelope.message()).maxAttempts();
        String detail = failed + " attempts have failed and " + allowed
                + " are allowed; the last ended where this policy was not"
                + " asked: in a program that allows more, where its lease was released by a person, or where that ran out in a"
                + " program that does not know the type. Requeue it once its cause is mended";
        dead(envelope, new Unusable(DeadReason.RETRIES_EXHAUSTED, detail), true);
    }

    /** The ledger has no day for the message's key: too early or too late. */
    void outside(Envelope envelope, Claim claim) {
        MessageKey key = envelope.key();
        String detail = LedgerBounds.describe(key, claim);
        if (claim.isLate(key)) {
            letter(envelope, key, new Unusable(DeadReason.LATE, detail), false, null);
            envelope.noteLate(claim.oldest());
        } else {
            dead(envelope, new Unusable(DeadReason.FROM_THE_FUTURE, detail), false);
            envelope.noteEndOfLedger(claim.newest());
        }
    }

    /** Another payload came with the same id before: the message is kept apart from that one, under a key of its own. */
    void conflict(Envelope envelope) {
        Message message = envelope.message();
        String what = message.isTombstone() ? "tombstone in conflict with " : "conflict with ";
        MessageKey own =
                KeyScheme.keyOfOrigin(message.source(), what + envelope.key().toUuid(), message.payload());
        String detail = "a message with this id, but another payload, was accepted or kept before; this one has "
                + message.payload().length + " bytes";
        Unusable why = new Unusable(DeadReason.CONFLICT, detail);
        letter(envelope, own, why, false, null);
    }

    private void letter(
            Envelope envelope, MessageKey key, Unusable why, boolean claimed, @Nullable FailedAttempt attempt) {
        if (!isRefused(envelope, key, claimed)) {
            Message message = envelope.message();
            letter(
                    envelope,
                    new DeadLetter(key, message, why.reason(), why.detail(), claimed, attempt, envelope.item()));
        }
    }

    private void letter(Envelope envelope, DeadLetter letter) {
        writes.deadLetter(envelope, letter);
        if (letter.blocks(consumer)) {
            blocked.addKeyOf(envelope.message());
        }
        envelope.propose(new Outcome.Dead(letter.reason(), letter.detail()));
    }

    /**
     * Whether the database has refused to keep the message: then it becomes a dead letter, without an attempt, whatever else
     * would have become of it. Where that was refused too, one without its bytes, made anew and not moved from work.
     */
    private boolean isRefused(Envelope envelope, MessageKey key, boolean claimed) {
        NotStoredException refusal = plan.refusalOf(envelope);
        if (refusal == null) {
            return false;
        }
        Message message = envelope.message();
        WorkItem item = envelope.item();
        String detail = ErrorText.bounded(BareMessage.describe(message) + "; " + refusal.getMessage());
        if (!refusal.isBare()) {
            letter(envelope, new DeadLetter(key, message, DeadReason.NOT_STORED, detail, claimed, null, item));
            return true;
        }
        Message bare = BareMessage.of(message);
        letter(envelope, new DeadLetter(key, bare, DeadReason.BYTES_NOT_STORED, detail, claimed, null));
        if (item != null) {
            writes.finish(item);
        }
        return true;
    }

    /** The message is stored, and worked on later. */
    void received(Envelope envelope, boolean byLease) {
        if (isRefused(envelope, envelope.key(), true)) {
            return;
        }
        writes.receive(envelope, new ReceivedMessage(envelope.key(), envelope.message(), byLease));
        blocked.addKeyOf(envelope.message());
        envelope.propose(new Outcome.Received());
    }

    /** The dead letter of this message has gone back to work, to its old place. */
    void requeued(Envelope envelope) {
        writes.workIsDue(envelope, Kind.ORDINARY, Duration.ZERO);
        writes.workIsDue(envelope, Kind.BY_LEASE, Duration.ZERO);
    }

    /** The message in work turns out to need a lease. */
    void toBeLeased(Envelope envelope, WorkItem item) {
        if (isRefused(envelope, envelope.key(), true)) {
            return;
        }
        writes.requireLease(envelope, item);
        blocked.addKeyOf(envelope.message());
        envelope.propose(null);
    }

    /**
     * Another program accepted the message, whose types are others: it waits for one that knows its type. No attempt is
     * counted, not even that of a lease, and no policy ends it: its own is not known here.
     */
    void ofUnknownType(Envelope envelope, WorkItem item) {
        String type = routing.typeOf(envelope.message());
        routing.unknownWork().warn(consumer.name(), type);
        String detail = routing.describeUnknown(envelope.message()) + "; it waits for a program that has one";
        Failure failure = new Failure(new UnknownTypeInWorkException(detail), ErrorClass.MESSAGE, Duration.ZERO);
        int attempts = item.byLease() ? item.attempts() - 1 : item.attempts();
        waits(envelope, item, failure, attempts);
    }

    /** Under a lease the attempt is counted already, and what was done outside of the database has to come to an end. */
    private static boolean mayWaitForRoom(Envelope envelope) {
        WorkItem item = envelope.item();
        boolean byLease = item != null && item.byLease();
        return !byLease && envelope.age().compareTo(LONGEST_WAIT_FOR_ROOM) < 0;
    }

    /**
     * The disk of some table is full: no attempt is counted, and no policy is asked. If it lasts, the reason may be in the message,
     * such as a query of its handler that fills a disk by itself.
     */
    private void waitsForRoom(Envelope envelope, Failure failure) {
        WorkItem item = envelope.item();
        if (item == null) {
            received(envelope, false);
        } else {
            waits(envelope, item, failure, item.attempts());
        }
    }

    private void waits(Envelope envelope, WorkItem item, Failure failure, int attempts) {
        Duration delay = UnknownWork.delay(envelope.age());
        FailedAttempt uncounted = failure.attempt(attempts, settings.node());
        writes.postpone(envelope, new PostponedItem(item, delay, uncounted, false));
        blocked.addKeyOf(envelope.message());
        envelope.propose(new Outcome.Parked(attempts, delay, failure.describe()));
    }
}
