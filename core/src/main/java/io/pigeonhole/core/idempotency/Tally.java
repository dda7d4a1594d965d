package io.pigeonhole.core.idempotency;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts outcomes and tells them to the listener. Safe for use by many threads. */
final class Tally {
    private static final Logger LOG = LoggerFactory.getLogger(Tally.class);

    private final IdempotencyListener listener;
    private final Map<RequestOutcome.Kind, LongAdder> outcomes = new EnumMap<>(RequestOutcome.Kind.class);
    private final LongAdder failed = new LongAdder();

    Tally(IdempotencyListener listener) {
        this.listener = listener;
        for (RequestOutcome.Kind kind : RequestOutcome.Kind.values()) {
            outcomes.put(kind, new LongAdder());
        }
    }

    /** Something that handles a request. */
    @FunctionalInterface
    interface Handling {
        RequestOutcome run() throws Exception;
    }

    RequestOutcome count(String operation, Handling handling) throws Exception {
        long begun = System.nanoTime();
        RequestOutcome outcome;
        try {
            outcome = handling.run();
        } catch (Throwable e) {
            failed.increment();
            notify(() -> listener.onFailure(operation, e, since(begun)));
            throw e;
        }
        add(outcome.kind());
        notify(() -> listener.onOutcome(operation, outcome, since(begun)));
        return outcome;
    }

    private void add(RequestOutcome.Kind kind) {
        LongAdder count = outcomes.get(kind);
        if (count != null) {
            count.increment();
        }
    }

    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private static void notify(Runnable notification) {
        try {
            notification.run();
        } catch (Throwable e) {
            // Errors too: what is committed is committed, and the client is to hear of it.
            LOG.warn("a listener of idempotent requests failed; the request is not affected", e);
        }
    }

    IdempotencyCounts counts(int running) {
        Map<RequestOutcome.Kind, Long> sums = new EnumMap<>(RequestOutcome.Kind.class);
        outcomes.forEach((kind, count) -> sums.put(kind, count.sum()));
        return new IdempotencyCounts(sums, failed.sum(), running);
    }
}
