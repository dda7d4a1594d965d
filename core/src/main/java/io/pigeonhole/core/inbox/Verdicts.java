package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.LeaseExpiredException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.retry.Reaction;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.Backlog.Kind;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one transaction decides about its messages, collected until it is written before the commit. It knows which ordering
 * keys a message must stay behind: those that had unfinished messages before, and those of messages that it keeps itself.
 */
final class Verdicts<C extends HandlerContext> {
    private static final Logger log = LoggerFactory.getLogger(Verdicts.class);
    /** Further away than this no database need be able to say when it is. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(3_650);

    private final RegisteredConsumer consumer;
    private final Routing<C> routing;
    private final EngineSettings settings;
    private final Plan plan;
    private final Set<OrderingKey> blocked = new HashSet<>();
    private final Arrivals arrivals;
    private final List<PostponedItem> postponed = new ArrayList<>();
    private final List<WorkItem> toBeLeased = new ArrayList<>();
    private final List<WorkItem> done = new ArrayList<>();
    private final List<FinishedMessage> finished = new ArrayList<>();
    private final Set<Due> due = new HashSet<>();

    Verdicts(RegisteredConsumer consumer, Routing<C> routing, EngineSettings settings, Plan plan) {
        this.plan = plan;
        this.consumer = consumer;
        this.routing = routing;
        this.settings = settings;
        this.arrivals = new Arrivals(consumer);
    }

    /**
     * The intake has decided about all messages, each in the light of those before it. From now on only what fails in the
     * run blocks a key: what was decided about later messages must not hold back earlier ones.
     */
    void admitted() {
        blocked.clear();
    }

    /** Messages of these keys must stay behind others. */
    void block(Collection<OrderingKey> keys) {
        blocked.addAll(keys);
    }

    boolean isBlocked(Envelope envelope) {
        if (blocked.isEmpty() || !consumer.keepsOrderOf(envelope.message())) {
            return false;
        }
        OrderingKey key = OrderingKey.of(envelope.message());
        return key != null && blocked.contains(key);
    }

    /** Messages of this one's key must stay behind it. */
    void blockBehind(Message message) {
        OrderingKey key = OrderingKey.of(message);
        if (key != null && consumer.order().isKept()) {
            blocked.add(key);
        }
    }

    void processed(Envelope envelope) {
        finished(envelope, new Outcome.Processed());
    }

    private void finished(Envelope envelope, Outcome outcome) {
        envelope.propose(outcome);
        WorkItem item = envelope.item();
        if (item != null) {
            done.add(item);
        }
        if (settings.history() != HistoryMode.NONE) {
            boolean withPayload = settings.history() == HistoryMode.WITH_PAYLOAD;
            finished.add(new FinishedMessage(envelope.key(), envelope.message(), envelope.attempt(), withPayload));
        }
    }

    /** A lease that ran out says nothing about the message, whatever exceptions its policy knows. */
    private static Reaction reaction(RetryPolicy policy, Failure failure) {
        Reaction usual = failure.isPermanent() ? Reaction.GIVE_UP : Reaction.RETRY;
        return failure.cause() instanceof LeaseExpiredException
                ? usual
                : named(policy, failure.cause()).orElse(usual);
    }

    /**
     * What a deferred write or the COMMIT failed with is what the handler would have thrown, had it met it at once. A policy
     * that names the store's exceptions means all of these.
     */
    private static Optional<Reaction> named(RetryPolicy policy, Throwable failure) {
        Throwable cause = failure instanceof StoreException ? failure.getCause() : null;
        boolean namesOurs = policy.reactions().keySet().stream()
                .anyMatch(type -> StoreException.class.isAssignableFrom(type) && type.isInstance(failure));
        return cause == null || namesOurs
                ? policy.reactionTo(failure)
                : policy.reactionTo(cause).or(() -> policy.reactionTo(failure));
    }

    /** A policy that fails by itself must not make its message a poison: then the standard one decides. */
    private static Optional<Duration> delay(RetryPolicy policy, Envelope envelope) {
        int attempts = envelope.attemptForPolicy();
        try {
            return policy.delayAfter(attempts, envelope.age(), ThreadLocalRandom.current())
                    .map(delay -> delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay);
        } catch (Throwable e) {
            log.error(
                    "the retry policy of {} failed; the standard one is used instead",
                    envelope.message(),
                    FailureText.readable(e));
            return RetryPolicy.standard()
                    .maxAttempts(policy.maxAttempts())
                    .delayAfter(attempts, envelope.age(), ThreadLocalRandom.current());
        } finally {
            Interrupts.clear();
        }
    }

    /** The message's handler, or something on its behalf, failed. */
    void failed(Envelope envelope, Failure failure) {
        if (isRefused(envelope, envelope.key(), true)) {
            return;
        }
        WorkItem item = envelope.item();
        if (item != null && routing.routeOf(envelope.message()) == null) {
            // Its policy is not known here either: the attempt counts, and who knows the type decides about the next.
            Duration delay = UnknownWork.delay(envelope.age());
            keep(envelope, delay, failure.attempt(envelope.attempt(), settings.node()));
            envelope.propose(new Outcome.Parked(envelope.attempt(), delay, failure.describe()));
            return;
        }
        RetryPolicy policy = routing.retryOf(envelope.message());
        Reaction reaction = reaction(policy, failure);
        String error = failure.describe();
        if (reaction == Reaction.IGNORE) {
            finished(envelope, new Outcome.Ignored(error));
            return;
        }
        FailedAttempt attempt = failure.attempt(envelope.attempt(), settings.node());
        Optional<Duration> delay = reaction == Reaction.GIVE_UP ? Optional.empty() : delay(policy, envelope);
        if (delay.isPresent()) {
            keep(envelope, delay.get(), attempt);
            envelope.propose(new Outcome.Parked(envelope.attempt(), delay.get(), error));
            return;
        }
        DeadReason reason = reaction == Reaction.GIVE_UP ? DeadReason.PERMANENT_FAILURE : DeadReason.RETRIES_EXHAUSTED;
        bury(envelope, envelope.key(), reason, error, true, attempt);
    }

    private void keep(Envelope envelope, Duration delay, FailedAttempt attempt) {
        WorkItem item = envelope.item();
        if (item == null) {
            arrivals.add(envelope, new ParkedMessage(envelope.key(), envelope.message(), delay, attempt));
        } else {
            postponed.add(new PostponedItem(item, delay, attempt));
        }
        expect(envelope, Kind.of(item != null && item.byLease()), delay);
        blockBehind(envelope.message());
    }

    /** The message is given up on before any handler saw it. */
    void dead(Envelope envelope, DeadReason reason, String detail, boolean claimed) {
        bury(envelope, envelope.key(), reason, detail, claimed, null);
    }

    /** All attempts that its policy allows have failed, and whoever noted the last could not give up on it. */
    void spent(Envelope envelope) {
        int failed = envelope.attemptForPolicy() - 1;
        int allowed = routing.retryOf(envelope.message()).maxAttempts();
        String detail = failed + " attempts have failed and " + allowed
                + " are allowed; the last ended where its policy was not"
                + " asked: its lease was released by a person, or ran out in a program that does not know the type. Requeue"
                + " it once its cause is mended";
        dead(envelope, DeadReason.RETRIES_EXHAUSTED, detail, true);
    }

    private void bury(
            Envelope envelope,
            MessageKey key,
            DeadReason reason,
            String detail,
            boolean claimed,
            @Nullable FailedAttempt attempt) {
        if (isRefused(envelope, key, claimed)) {
            return;
        }
        add(new DeadLetter(key, envelope.message(), reason, detail, claimed, attempt, envelope.item()), envelope);
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
            add(new DeadLetter(key, message, DeadReason.NOT_STORED, detail, claimed, null, item), envelope);
            return true;
        }
        add(new DeadLetter(key, BareMessage.of(message), DeadReason.BYTES_NOT_STORED, detail, claimed, null), envelope);
        if (item != null) {
            done.add(item);
        }
        return true;
    }

    private void add(DeadLetter letter, Envelope envelope) {
        arrivals.add(envelope, letter);
        if (letter.blocks(consumer)) {
            blockBehind(envelope.message());
        }
        envelope.propose(new Outcome.Dead(letter.reason(), letter.detail()));
    }

    /** The ledger has no day for the message's key: too early or too late. */
    void outside(Envelope envelope, Claim claim) {
        MessageKey key = envelope.key();
        String detail = Horizon.describe(key, claim);
        if (!claim.isLate(key)) {
            dead(envelope, DeadReason.FROM_THE_FUTURE, detail, false);
            envelope.noteEndOfLedger(claim.newest());
            return;
        }
        dead(envelope, DeadReason.LATE, detail, false);
        if (plan.refusalOf(envelope) == null) {
            envelope.proposeLate(detail, claim.oldest());
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
        bury(envelope, own, DeadReason.CONFLICT, detail, false, null);
        if (plan.refusalOf(envelope) == null) {
            envelope.propose(new Outcome.Conflict(detail));
        }
    }

    /** The message is stored, and worked on later. */
    void received(Envelope envelope, boolean byLease) {
        if (isRefused(envelope, envelope.key(), true)) {
            return;
        }
        arrivals.add(envelope, new ReceivedMessage(envelope.key(), envelope.message(), byLease));
        expect(envelope, Kind.of(byLease), Duration.ZERO);
        blockBehind(envelope.message());
        envelope.propose(new Outcome.Received());
    }

    /** The dead letter of this message has gone back to work, to its old place. */
    void reopened(Envelope envelope) {
        expect(envelope, Kind.ORDINARY, Duration.ZERO);
        expect(envelope, Kind.BY_LEASE, Duration.ZERO);
    }

    private void expect(Envelope envelope, Kind kind, Duration in) {
        due.add(new Due(consumer, kind, consumer.laneOf(envelope.message(), envelope.key()), in));
    }

    /** The message is behind another of its key; one in work stays there. */
    void behind(Envelope envelope) {
        if (envelope.item() == null) {
            received(envelope, isByLease(envelope));
        } else {
            envelope.propose(null);
        }
    }

    /** The message in work turns out to need a lease. */
    void toBeLeased(Envelope envelope, WorkItem item) {
        if (isRefused(envelope, envelope.key(), true)) {
            return;
        }
        toBeLeased.add(item);
        expect(envelope, Kind.BY_LEASE, Duration.ZERO);
        blockBehind(envelope.message());
        envelope.propose(null);
    }

    /** Whether a message may only be worked on under a lease: its effect is elsewhere, or it may have killed a process. */
    boolean isByLease(Envelope envelope) {
        Message message = envelope.message();
        Route<?, C> route = routing.routeOf(message);
        return (route != null && route.isExternal()) || message.deliveries() > settings.crashLimit();
    }

    /** What no handler is for is decided about at its delivery; in work it would wait for a program that has one. */
    boolean isKnownType(Envelope envelope) {
        return routing.routeOf(envelope.message()) != null;
    }

    /** Where the workers will find the messages that are kept to be worked on later. */
    Set<Due> due() {
        return due;
    }

    /** Writes everything; the group says in which order the messages arrived. */
    void write(InboxTransaction<C> transaction, List<Envelope> group) {
        arrivals.write(transaction, group);
        if (!postponed.isEmpty()) {
            transaction.postpone(consumer, postponed);
        }
        if (!toBeLeased.isEmpty()) {
            transaction.requireLease(consumer, toBeLeased);
        }
        if (!done.isEmpty()) {
            transaction.finish(consumer, done);
        }
        if (!finished.isEmpty()) {
            transaction.record(consumer, finished);
        }
    }

    /**
     * Another program accepted the message, whose types are others: it waits for one that knows its type. No attempt is
     * counted, not even that of a lease, and no policy ends it: its own is not known here.
     */
    private void unknownInWork(Envelope envelope, WorkItem item) {
        String type = routing.typeOf(envelope.message());
        routing.unknownWork().warn(consumer.name(), type);
        String detail = describeUnknown(type) + "; it waits for a program that has one";
        Failure failure = new Failure(new UnknownTypeInWorkException(detail), ErrorClass.MESSAGE, Duration.ZERO);
        int attempts = item.byLease() ? item.attempts() - 1 : item.attempts();
        Duration delay = UnknownWork.delay(envelope.age());
        postponed.add(new PostponedItem(item, delay, failure.attempt(attempts, settings.node()), false));
        expect(envelope, Kind.of(item.byLease()), delay);
        blockBehind(envelope.message());
        envelope.propose(new Outcome.Parked(attempts, delay, detail));
    }

    private String describeUnknown(@Nullable String type) {
        return "no handler for type '" + ErrorText.bounded(type) + "'; handled are "
                + routing.routes().keySet();
    }

    /** Checks an accepted message before it is decoded; proposes a dead letter and answers null where it is no use. */
    @Nullable
    Route<?, C> route(Envelope envelope) {
        Message message = envelope.message();
        Route<?, C> route = routing.routeOf(message);
        WorkItem item = envelope.item();
        if (route == null && item != null) {
            unknownInWork(envelope, item);
            return null;
        }
        int limit = routing.payloadLimitOf(route);
        if (message.payload().length > limit) {
            String detail = "the payload has " + message.payload().length + " bytes, the limit is " + limit;
            dead(envelope, DeadReason.TOO_LARGE, detail, true);
            return null;
        }
        if (route == null) {
            if (routing.unknownType() == UnknownType.IGNORE) {
                processed(envelope);
            } else {
                dead(envelope, DeadReason.UNKNOWN_TYPE, describeUnknown(routing.typeOf(message)), true);
            }
        }
        return route;
    }
}
