package io.pigeonhole.kafka;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;
import org.jspecify.annotations.Nullable;

/**
 * Whether a consumer has a connection to any broker, by its own metric: polling a cluster that is away throws nothing. Looked at by
 * the poll thread once in a second; others may ask.
 */
final class BrokerConnection {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** As long as connecting may take. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final @Nullable Metric connections;
    private final LongSupplier clock;
    private long nextLook;
    private long lastConnected;
    private volatile boolean lost;

    BrokerConnection(Consumer<?, ?> consumer, LongSupplier clock) {
        this.clock = clock;
        this.nextLook = clock.getAsLong();
        this.lastConnected = nextLook;
        this.connections = consumer.metrics().values().stream()
                .filter(metric -> "connection-count".equals(metric.metricName().name())
                        && "consumer-metrics".equals(metric.metricName().group()))
                .findFirst()
                .orElse(null);
    }

    void look() {
        long now = clock.getAsLong();
        if (connections == null || now - nextLook < 0) {
            return;
        }
        nextLook = now + INTERVAL.toNanos();
        if (!(connections.metricValue() instanceof Number count) || count.doubleValue() > 0) {
            lastConnected = now;
        }
        lost = now - lastConnected > TIMEOUT.toNanos();
    }

    /** Whether there has been none for some seconds; false where that is not known. */
    boolean isLost() {
        return lost;
    }
}
