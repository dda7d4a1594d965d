package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Recoverable;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.lane.Lanes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that opens connections, consumes and acknowledges. Deliveries come on threads of the client and go straight
 * into the lanes, whose threads only note what is settled and wake this one.
 *
 * <p>The client's own recovery is off: it does not know of what is in the lanes, opens no first connection, and does not
 * mend channels that were closed or consumers that were cancelled. One way back for all of these is enough.
 */
final class ConsumeLoop implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(ConsumeLoop.class);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    /** How many errors, with pauses that double, are outlasted while none of them is older than this. */
    private static final int MOST_ERRORS = 5;

    private static final Duration QUIET = Duration.ofMinutes(5);

    private final Settings settings;
    private final Lanes lanes;
    private final List<QueueConsumer> consumers;
    private final Trouble trouble;
    private final Semaphore wakeUps = new Semaphore(0);
    private int errors;
    private long lastError;
    private volatile boolean closing;
    private volatile @Nullable Connection connection;
    private volatile @Nullable Throwable failure;

    /** What the builder was told. */
    record Settings(
            String name,
            ConnectionFactory connectionFactory,
            ConnectionOpener opener,
            List<String> queues,
            DeliveryMapper mapper,
            int prefetch,
            Duration retryPause,
            Duration closeTimeout) {}

    ConsumeLoop(Settings settings, Lanes lanes) {
        this.settings = settings;
        this.lanes = lanes;
        this.consumers = settings.queues().stream()
                .map(queue -> new QueueConsumer(queue, settings, lanes, this::wakeUp))
                .toList();
        this.trouble = new Trouble(settings.name());
    }

    /** Why the loop ended by itself, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Makes {@link #run} finish what is in work, acknowledge and return. */
    void close() {
        closing = true;
        wakeUp();
    }

    /** Makes a {@link #run} return that waits for the broker although it was closed. */
    void abandon() {
        Connection open = connection;
        if (open != null) {
            open.abort((int) CLOSE_PATIENCE.toMillis());
        }
    }

    /** How long {@link #run} takes to return after {@link #close}, if the broker answers. */
    Duration longestClose() {
        return settings.closeTimeout().plus(CLOSE_PATIENCE.multipliedBy(3));
    }

    private void wakeUp() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    @Override
    public void run() {
        try {
            while (!closing) {
                round();
            }
        } catch (Throwable e) {
            failure = e;
            log.error(
                    "{}: gives up; it takes no more messages until it is started anew",
                    settings.name(),
                    FailureText.readable(e));
        } finally {
            end();
        }
    }

    /** On the connection that there is, or another. */
    private void round() {
        Connection open = connection;
        try {
            if (open == null || !open.isOpen()) {
                open = open();
                if (open == null) {
                    pause(settings.retryPause());
                    return;
                }
                connection = open;
            }
            consume(open);
        } catch (InterruptedException e) {
            log.debug("{}: somebody interrupted the source; only close() ends it", settings.name(), e);
        } catch (Error e) {
            survive(e);
        }
    }

    /**
     * What was not acknowledged comes again on another connection. Not without end: with each connection a quorum queue counts a
     * delivery of all that it had handed out, and drops in the end what came too often.
     */
    private void survive(Error e) {
        long now = System.nanoTime();
        errors = errors == 0 || now - lastError > QUIET.toNanos() ? 1 : errors + 1;
        lastError = now;
        if (errors > MOST_ERRORS) {
            throw e;
        }
        quietly(() -> log.error("{}: failed, going on with another connection", settings.name(), e));
        quietly(this::abandon);
        quietly(() -> consumers.forEach(QueueConsumer::disconnected));
        quietly(this::pauseAfterErrors);
    }

    private void pauseAfterErrors() {
        try {
            pause(settings.retryPause().multipliedBy(1L << (errors - 1)));
        } catch (InterruptedException e) {
            log.debug("{}: somebody interrupted the source; only close() ends it", settings.name(), e);
        }
    }

    /** A new connection, or null if there is none now. */
    private @Nullable Connection open() {
        try {
            Connection opened = settings.opener().open(settings.connectionFactory(), settings.name());
            if (opened instanceof Recoverable) {
                opened.abort();
                throw new ConfigurationException(
                        settings.name() + ": the connection opener gave a connection that recovers"
                                + " by itself; open it with the factory that it is handed");
            }
            trouble.isOver();
            return opened;
        } catch (ConfigurationException e) {
            throw e;
        } catch (IOException | TimeoutException | RuntimeException e) {
            // Such as of a provider of credentials whose server is away, or of a name that is not known for a moment.
            Trouble.throwIfFinal(settings.name() + ": connecting", e);
            trouble.tell(Trouble.reason(e));
            return null;
        }
    }

    private void consume(Connection open) throws InterruptedException {
        while (!closing && open.isOpen()) {
            long wait = LONGEST_WAIT.toNanos();
            for (QueueConsumer consumer : consumers) {
                wait = Math.min(wait, consumer.tend(open));
            }
            if (wakeUps.tryAcquire(wait, TimeUnit.NANOSECONDS)) {
                // What comes after this wakes it again; what came before is seen now.
                wakeUps.drainPermits();
            }
        }
        if (!closing) {
            trouble.tell("the connection is lost: " + Trouble.reason(open.getCloseReason()));
            consumers.forEach(QueueConsumer::disconnected);
            pause(settings.retryPause());
        }
    }

    /** Shortened at random by up to a half: not all sources come back at once. */
    private void pause(Duration longest) throws InterruptedException {
        long end = System.nanoTime()
                + longest.toNanos()
                - ThreadLocalRandom.current().nextLong(longest.toNanos() / 2 + 1);
        for (long left = end - System.nanoTime(); left > 0 && !closing; left = end - System.nanoTime()) {
            if (wakeUps.tryAcquire(left, TimeUnit.NANOSECONDS)) {
                wakeUps.drainPermits();
            }
        }
    }

    private void end() {
        // An interrupt would make the waiting for what is in work useless.
        boolean interrupted = Thread.interrupted();
        log.debug("{}: closing{}", settings.name(), interrupted ? ", interrupted" : "");
        quietly(this::finish);
        Connection open = connection;
        if (open != null) {
            quietly(() -> open.abort((int) CLOSE_PATIENCE.toMillis()));
        }
        quietly(() -> lanes.close(CLOSE_PATIENCE));
    }

    private void quietly(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            log.debug(
                    "{}: did not end well; what was not acknowledged will be delivered again",
                    settings.name(),
                    FailureText.readable(e));
        }
    }

    private void finish() {
        consumers.forEach(QueueConsumer::withdraw);
        long deadline = System.nanoTime() + settings.closeTimeout().toNanos();
        for (QueueConsumer consumer : consumers) {
            consumer.finish(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
    }
}
