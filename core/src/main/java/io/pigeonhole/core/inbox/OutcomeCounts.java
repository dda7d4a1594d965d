package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what became of deliveries, and says it once in a while. Safe for use by many threads. */
final class OutcomeCounts {
    private static final Logger log = LoggerFactory.getLogger(OutcomeCounts.class);

    private final String consumer;
    private final LongSupplier nanos;
    private final Map<Outcome.Kind, LongAdder> counts = new EnumMap<>(Outcome.Kind.class);
    private long begun;

    OutcomeCounts(String consumer, LongSupplier nanos) {
        this.consumer = consumer;
        this.nanos = nanos;
        this.begun = nanos.getAsLong();
        for (Outcome.Kind kind : Outcome.Kind.values()) {
            counts.put(kind, new LongAdder());
        }
    }

    void add(Outcome outcome) {
        LongAdder count = counts.get(outcome.kind());
        if (count != null) {
            count.increment();
        }
    }

    /** Says what was counted since the last report; nothing where nothing was. */
    synchronized void report() {
        StringJoiner text = new StringJoiner(", ");
        counts.forEach((kind, count) -> {
            long sum = count.sumThenReset();
            if (sum > 0) {
                text.add(sum + " " + kind.name().toLowerCase(Locale.ROOT));
            }
        });
        long now = nanos.getAsLong();
        long seconds = Duration.ofNanos(now - begun).toSeconds();
        begun = now;
        if (text.length() > 0) {
            log.info("consumer '{}': outcomes of the last {} s: {}", consumer, seconds, text);
        }
    }
}
