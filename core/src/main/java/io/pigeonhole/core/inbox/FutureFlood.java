package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds back messages of days that the ledger does not have, once very many were: then no producer's clock is wrong, but
 * nobody has created days. Those that are in time pass, and all do ten seconds after the days are there at the latest. Counted in this process
 * only; safe for use by many threads.
 */
final class FutureFlood {
    private static final Logger log = LoggerFactory.getLogger(FutureFlood.class);
    private static final long HOUR = Duration.ofHours(1).toNanos();

    /** To ask costs several transactions, and a message that is held back is handed in again soon. */
    private static final long BETWEEN_QUESTIONS = Duration.ofSeconds(10).toNanos();

    private final String consumer;
    private final int limit;
    private final LongSupplier nanos;
    private final RareWarning warning;
    private final Supplier<@Nullable MessageKey> endOfLedger;
    private long begun;
    private int count;
    private @Nullable MessageKey newest;
    private boolean asked;
    private long askedAt;

    /**
     * The supplier creates missing days and says where the ledger ends; null where it could not. While the consumer is paused, it
     * throws {@link ConsumerPausedException}.
     */
    FutureFlood(String consumer, int limit, LongSupplier nanos, Supplier<@Nullable MessageKey> endOfLedger) {
        this.consumer = consumer;
        this.limit = limit;
        this.nanos = nanos;
        this.warning = new RareWarning(log, nanos);
        this.endOfLedger = endOfLedger;
    }

    /** A message was found to be of a day behind this end of the ledger, and is a dead letter. */
    synchronized void note(MessageKey end) {
        if (count == 0 || isOver()) {
            begun = nanos.getAsLong();
            count = 0;
        }
        count++;
        newest = end;
    }

    /** Lets none pass that would become one more; answers why each of these is held back. */
    Map<Envelope, String> heldBack(List<Envelope> deliveries) {
        MessageKey before = full();
        if (before == null) {
            return Map.of();
        }
        List<Envelope> ahead = behind(before, deliveries);
        if (ahead.isEmpty()) {
            return Map.of();
        }
        MessageKey now = endOfLedger(before);
        List<Envelope> left = behind(now, ahead);
        if (left.isEmpty()) {
            return Map.of();
        }
        String why = "consumer '" + consumer + "': " + limit
                + " messages and more were of days that the ledger does not have,"
                + " within the last hour, and are dead letters, and " + left.size() + " of these "
                + deliveries.size() + " are, too: the ledger ends at "
                + Instant.ofEpochMilli(now.epochMillis())
                + ". They are held back until it has the days, or the hour is over. Check the clocks of the"
                + " producers and of the database, let a node run or call maintain(), raise daysAhead, or raise"
                + " lateLimit";
        warning.give(why);
        return left.stream().collect(Collectors.toMap(envelope -> envelope, envelope -> why));
    }

    /** Between two questions it is where it was. */
    private MessageKey endOfLedger(MessageKey before) {
        MessageKey found = mayAsk() ? ask() : null;
        if (found == null) {
            return before;
        }
        moved(found);
        return found;
    }

    /** The next call asks again, so that it too fails because of the pause, and does not answer that there is a flood. */
    private @Nullable MessageKey ask() {
        try {
            return endOfLedger.get();
        } catch (ConsumerPausedException e) {
            mayAskAtOnce();
            throw e;
        }
    }

    private synchronized void mayAskAtOnce() {
        asked = false;
    }

    private synchronized boolean mayAsk() {
        long now = nanos.getAsLong();
        if (asked && now - askedAt < BETWEEN_QUESTIONS) {
            return false;
        }
        asked = true;
        askedAt = now;
        return true;
    }

    private static List<Envelope> behind(MessageKey end, List<Envelope> envelopes) {
        return envelopes.stream()
                .filter(envelope -> isBehind(end, envelope.key()))
                .toList();
    }

    /** Where the ledger ended when it became too much; null while it is not. */
    private synchronized @Nullable MessageKey full() {
        return count < limit || isOver() ? null : newest;
    }

    private synchronized void moved(MessageKey end) {
        newest = end;
    }

    private static boolean isBehind(MessageKey end, MessageKey key) {
        return key.isTimeForm() && key.compareTo(end) >= 0;
    }

    private boolean isOver() {
        return nanos.getAsLong() - begun > HOUR;
    }
}
