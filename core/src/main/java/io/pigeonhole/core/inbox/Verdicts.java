package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.DeadReason;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** What one transaction decides about its messages, collected until it is written before the commit. */
final class Verdicts<C extends HandlerContext> {
    private static final int FIRST_ATTEMPT = 1;

    private final Routing<C> routing;
    private final EngineSettings settings;
    private final List<ParkedMessage> parked = new ArrayList<>();
    private final List<DeadLetter> dead = new ArrayList<>();
    private final List<FinishedMessage> finished = new ArrayList<>();

    Verdicts(Routing<C> routing, EngineSettings settings) {
        this.routing = routing;
        this.settings = settings;
    }

    void processed(Envelope envelope) {
        envelope.propose(new Outcome.Processed());
        if (settings.history() != HistoryMode.NONE) {
            boolean withPayload = settings.history() == HistoryMode.WITH_PAYLOAD;
            finished.add(new FinishedMessage(envelope.key(), envelope.message(), FIRST_ATTEMPT, withPayload));
        }
    }

    /** The message's handler, or something on its behalf, failed. */
    void failed(Envelope envelope, Failure failure) {
        Message message = envelope.message();
        String error = failure.describe();
        Optional<Duration> delay = failure.isPermanent()
                ? Optional.empty()
                : routing.retryOf(message).delayAfter(FIRST_ATTEMPT, Duration.ZERO, ThreadLocalRandom.current());
        var attempt = failure.attempt(FIRST_ATTEMPT, settings.node());
        if (delay.isPresent()) {
            parked.add(new ParkedMessage(envelope.key(), message, delay.get(), attempt));
            envelope.propose(new Outcome.Parked(FIRST_ATTEMPT, delay.get(), error));
            return;
        }
        DeadReason reason = failure.isPermanent() ? DeadReason.PERMANENT_FAILURE : DeadReason.RETRIES_EXHAUSTED;
        dead.add(new DeadLetter(envelope.key(), message, reason, error, true, attempt));
        envelope.propose(new Outcome.Dead(reason, error));
    }

    /** The message is given up on before any handler saw it. */
    void dead(Envelope envelope, DeadReason reason, String detail, boolean claimed) {
        dead.add(new DeadLetter(envelope.key(), envelope.message(), reason, detail, claimed, null));
        envelope.propose(new Outcome.Dead(reason, detail));
    }

    /** The ledger has no day for the message's key: too early or too late. */
    void outside(Envelope envelope, Claim claim) {
        MessageKey key = envelope.key();
        String detail = Horizon.describe(key, claim);
        dead(envelope, claim.isLate(key) ? DeadReason.LATE : DeadReason.FROM_THE_FUTURE, detail, false);
        if (claim.isLate(key)) {
            envelope.propose(new Outcome.Late(detail));
        }
    }

    void write(InboxTransaction<C> transaction, RegisteredConsumer consumer) {
        if (!parked.isEmpty()) {
            transaction.park(consumer, parked);
        }
        if (!dead.isEmpty()) {
            transaction.bury(consumer, dead);
        }
        if (!finished.isEmpty()) {
            transaction.record(consumer, finished);
        }
    }

    /** Checks a claimed message before it is decoded; proposes a dead letter and answers null where it is no use. */
    @Nullable
    Route<?, C> route(Envelope envelope) {
        Message message = envelope.message();
        int limit = routing.payloadLimitOf(message);
        if (message.payload().length > limit) {
            String detail = "the payload has " + message.payload().length + " bytes, the limit is " + limit;
            dead(envelope, DeadReason.TOO_LARGE, detail, true);
            return null;
        }
        Route<?, C> route = routing.routeOf(message);
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
