package io.pigeonhole.core.node;

import io.pigeonhole.core.store.Maintenance;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maintains the store from time to time, on a daemon thread. A run that fails is repeated after a minute at the latest. */
final class Janitor {
    private static final Logger log = LoggerFactory.getLogger(Janitor.class);
    private static final double JITTER = 0.2;
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Maintenance store;
    private final Duration interval;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "pigeonhole-janitor");

    Janitor(Maintenance store, Duration interval) {
        this.store = store;
        this.interval = interval;
    }

    /** Runs once on the caller's thread, and regularly from then on. */
    void start() {
        store.maintain();
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            Duration pause = interval;
            while (!closed.await(shortened(pause), TimeUnit.MILLISECONDS)) {
                pause = maintained() ? interval : shorter(interval, AFTER_FAILURE);
            }
        } catch (InterruptedException e) {
            log.warn("somebody interrupted the maintenance of the store; it ends", e);
        }
    }

    private boolean maintained() {
        try {
            store.maintain();
            return true;
        } catch (RuntimeException | Error e) {
            log.warn("the store could not be maintained, trying again soon", e);
            return false;
        }
    }

    private static long shortened(Duration pause) {
        return (long)
                (pause.toMillis() * (1 - JITTER * ThreadLocalRandom.current().nextDouble()));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    void close() {
        closed.countDown();
        try {
            thread.join(PATIENCE.toMillis());
            if (thread.isAlive()) {
                log.warn("maintenance of the store still runs after {}; it is left alone", PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
