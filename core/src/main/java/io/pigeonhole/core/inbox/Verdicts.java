package io.pigeonhole.core.inbox;

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

    private final RegisteredConsumer consumer;
    private final Routing<C> routing;
    private final EngineSettings settings;
    private final Set<OrderingKey> blocked = new HashSet<>();
    private final Arrivals arrivals;
    private final List<PostponedItem> postponed = new ArrayList<>();
    private final List<WorkItem> toBeLeased = new ArrayList<>();
    private final List<WorkItem> done = new ArrayList<>();
    private final List<FinishedMessage> finished = new ArrayList<>();
    private final Set<Due> due = new HashSet<>();

    Verdicts(RegisteredConsumer consumer, Routing<C> routing, EngineSettings settings) {
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
                : policy.reactionTo(failure.cause()).orElse(usual);
    }

    /** A policy that fails by itself must not make its message a poison: then the standard one decides. */
    private static Optional<Duration> delay(RetryPolicy policy, Envelope envelope) {
        int attempts = envelope.attemptForPolicy();
        try {
            return policy.delayAfter(attempts, envelope.age(), ThreadLocalRandom.current());
        } catch (RuntimeException e) {
            log.error("the retry policy of {} failed; the standard one is used instead", envelope.message(), e);
            return RetryPolicy.standard().delayAfter(attempts, envelope.age(), ThreadLocalRandom.current());
        }
    }

    /** The message's handler, or something on its behalf, failed. */
    void failed(Envelope envelope, Failure failure) {
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

    private void bury(
            Envelope envelope,
            MessageKey key,
            DeadReason reason,
            String detail,
            boolean claimed,
            @Nullable FailedAttempt attempt) {
        DeadLetter letter = new DeadLetter(key, envelope.message(), reason, detail, claimed, attempt, envelope.item());
        arrivals.add(envelope, letter);
        if (letter.blocks(consumer)) {
            blockBehind(envelope.message());
        }
        envelope.propose(new Outcome.Dead(reason, detail));
    }

    /** The ledger has no day for the message's key: too early or too late. */
    void outside(Envelope envelope, Claim claim) {
        MessageKey key = envelope.key();
        String detail = Horizon.describe(key, claim);
        dead(envelope, claim.isLate(key) ? DeadReason.LATE : DeadReason.FROM_THE_FUTURE, detail, false);
        if (claim.isLate(key)) {
            envelope.proposeLate(detail, claim.oldest());
        }
    }

    /** The message has the id of an accepted one, and another payload: kept apart from it, under a key of its own. */
    void conflict(Envelope envelope) {
        Message message = envelope.message();
        MessageKey own = KeyScheme.keyOfOrigin(
                message.source(), "conflict with " + envelope.key().toUuid(), message.payload());
        String detail = "a message with this id, but another payload, was accepted before; this one has "
                + message.payload().length + " bytes";
        bury(envelope, own, DeadReason.CONFLICT, detail, false, null);
        envelope.propose(new Outcome.Conflict(detail));
    }

    /** The message is stored, and worked on later. */
    void received(Envelope envelope, boolean byLease) {
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

    /** Checks an accepted message before it is decoded; proposes a dead letter and answers null where it is no use. */
    @Nullable
    Route<?, C> route(Envelope envelope) {
        Message message = envelope.message();
        Route<?, C> route = routing.routeOf(message);
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
                String detail = "no handler for type '" + ErrorText.bounded(routing.typeOf(message)) + "'; handled are "
                        + routing.routes().keySet();
                dead(envelope, DeadReason.UNKNOWN_TYPE, detail, true);
            }
        }
        return route;
    }
}
