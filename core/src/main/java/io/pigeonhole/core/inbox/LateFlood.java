package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds back what is late once very many messages were late: offsets that were reset, not stragglers. Those that are in time
 * pass. Counted in this process only; safe for use by many threads.
 */
final class LateFlood {
    private static final Logger log = LoggerFactory.getLogger(LateFlood.class);

    static final int STANDARD_LIMIT = 1_000;
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final String consumer;
    private final int limit;
    private final LongSupplier nanos;
    private final RareWarning warning;
    private long begun;
    private int count;
    private @Nullable MessageKey boundary;

    LateFlood(String consumer, int limit, LongSupplier nanos) {
        this.consumer = consumer;
        this.limit = limit;
        this.nanos = nanos;
        this.warning = new RareWarning(log, nanos);
    }

    int limit() {
        return limit;
    }

    /** A message was found to be older than this, and is a dead letter. */
    synchronized void note(MessageKey oldest) {
        if (count == 0 || isOver()) {
            begun = nanos.getAsLong();
            count = 0;
        }
        count++;
        boundary = boundary == null || boundary.compareTo(oldest) < 0 ? oldest : boundary;
    }

    /** Lets none pass that would become one more; answers why each of these is held back. */
    synchronized Map<Envelope, String> heldBack(List<Envelope> deliveries) {
        MessageKey oldest = boundary;
        if (oldest == null || count < limit || isOver()) {
            return Map.of();
        }
        List<Envelope> late = deliveries.stream()
                .filter(envelope -> envelope.key().compareTo(oldest) < 0)
                .toList();
        if (late.isEmpty()) {
            return Map.of();
        }
        String why = "consumer '" + consumer + "': " + count + " messages were late within the last hour and are dead"
                + " letters, and " + late.size() + " of these " + deliveries.size() + " are older than "
                + Instant.ofEpochMilli(oldest.epochMillis())
                + " as well. They are held back until the"
                + " hour is over. Were offsets reset? Then set them to where they belong, or raise lateLimit";
        warning.give(why);
        return late.stream().collect(Collectors.toMap(envelope -> envelope, envelope -> why));
    }

    private boolean isOver() {
        return nanos.getAsLong() - begun > HOUR;
    }
}
