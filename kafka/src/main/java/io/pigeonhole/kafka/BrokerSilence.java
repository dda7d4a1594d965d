package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * That no broker answers at all: a consumer polls brokers that are away, or behind a firewall that drops everything, as quietly as those that
 * have no records. A member sends a heartbeat every few seconds, so what a consumer receives grows wherever somebody answers. It warns
 * once when nothing was received for a minute, and says once when something is.
 *
 * <p>Lives as long as its source, with one consumer after another. Used by the poll thread once in a second; others may ask for the
 * problem.
 */
final class BrokerSilence {
    private static final Logger log = LoggerFactory.getLogger(BrokerSilence.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    /** Who has not looked for longer has stood still himself, and does not know what was answered then. */
    private static final Duration LONGEST_GAP = Duration.ofSeconds(10);

    private final String name;
    private final Object servers;
    private final long longest;
    private final LongSupplier clock;
    private double received;
    private long lastLook;
    private long lastAnswer;
    private volatile long silentFor;

    /**
     * Begins now.
     *
     * @param name of the source
     * @param servers what is told of the brokers
     * @param heartbeat how often the consumer asks something at least
     * @param clock nanoseconds
     */
    BrokerSilence(String name, Object servers, Duration heartbeat, LongSupplier clock) {
        this.name = name;
        this.servers = servers;
        this.longest = Math.max(LONGEST.toNanos(), heartbeat.multipliedBy(3).toNanos());
        this.clock = clock;
        this.lastLook = clock.getAsLong();
        this.lastAnswer = lastLook;
    }

    void look(Consumer<?, ?> consumer) {
        long now = clock.getAsLong();
        if (now - lastLook < INTERVAL.toNanos()) {
            return;
        }
        Number total = receivedBy(consumer);
        if (total == null) {
            return;
        }
        look(total.doubleValue(), now);
    }

    private void look(double total, long now) {
        long since = now - lastLook;
        lastLook = now;
        // That of another consumer begins at zero.
        boolean isAnswer = total != received && total > 0;
        received = total;
        if (isAnswer) {
            lastAnswer = now;
            if (silentFor > 0) {
                log.info("{}: a broker of {} answers again", name, servers);
                silentFor = 0;
            }
            return;
        }
        if (since > LONGEST_GAP.toNanos()) {
            lastAnswer += since;
        }
        long silence = now - lastAnswer;
        if (silence >= longest) {
            boolean isNew = silentFor == 0;
            silentFor = silence;
            if (isNew) {
                log.warn(
                        "{}: {}. Nothing is taken until one does; look at the brokers, at bootstrap.servers, and at firewalls between",
                        name,
                        sentence(silence));
            }
        }
    }

    private static @Nullable Number receivedBy(Consumer<?, ?> consumer) {
        for (Metric metric : consumer.metrics().values()) {
            if ("incoming-byte-total".equals(metric.metricName().name())
                    && "consumer-metrics".equals(metric.metricName().group())) {
                return metric.metricValue() instanceof Number total ? total : null;
            }
        }
        return null;
    }

    private String sentence(long nanos) {
        return "no broker of " + servers + " has answered for "
                + Duration.ofNanos(nanos).toSeconds() + " s";
    }

    /** That none answers, and for how long; null where one has, within a minute. */
    @Nullable
    String problem() {
        long nanos = silentFor;
        return nanos == 0 ? null : sentence(nanos);
    }
}
