package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.lane.Lanes;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Consumes one queue: one subscription after the other, for as long as there is a connection. Used by the loop. */
final class QueueConsumer {
    private static final Logger log = LoggerFactory.getLogger(QueueConsumer.class);
    private static final int ABORT_MILLIS = 1_000;

    private final String queue;
    private final ConsumeLoop.Settings settings;
    private final Lanes lanes;
    private final Runnable wakeUp;
    private final Trouble trouble;
    private @Nullable Subscription current;
    private long beginAt = System.nanoTime();

    QueueConsumer(String queue, ConsumeLoop.Settings settings, Lanes lanes, Runnable wakeUp) {
        this.queue = queue;
        this.settings = settings;
        this.lanes = lanes;
        this.wakeUp = wakeUp;
        this.trouble = new Trouble(settings.name() + ": queue '" + queue + "'");
    }

    /**
     * Acknowledges what is settled, and consumes anew where that has ended.
     *
     * @return in how many nanoseconds there is something to do, unless it is woken up before
     * @throws ConfigurationException if the broker refuses for good, or a function of the user failed
     * @throws Error if a delivery failed with it: what was not acknowledged comes again on another connection
     */
    long tend(Connection connection) {
        Subscription subscription = current;
        if (subscription != null) {
            acknowledge(subscription);
            throwFailure(subscription.failure());
            if (subscription.end() == null) {
                return Long.MAX_VALUE;
            }
            leave(subscription);
        }
        long left = beginAt - System.nanoTime();
        return left > 0 ? left : begin(connection);
    }

    private void throwFailure(@Nullable Throwable failure) {
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure instanceof ConfigurationException e) {
            throw e;
        }
        if (failure != null) {
            throw new IllegalStateException(
                    "queue '" + queue + "': a delivery could not be taken; this is a defect", failure);
        }
    }

    private long begin(Connection connection) {
        try {
            current = Subscription.begin(connection, queue, settings, lanes.open(), wakeUp);
            trouble.isOver();
            return Long.MAX_VALUE;
        } catch (IOException | ShutdownSignalException e) {
            Trouble.throwIfFinal("consuming queue '" + queue + "'", e);
            trouble.tell(Trouble.reason(e));
            if (e instanceof ChannelContinuationTimeoutException) {
                // It may still consume, some day. Seen with a quorum queue that was asked while it had no leader.
                connection.abort(ABORT_MILLIS);
            }
            return pause();
        }
    }

    private void leave(Subscription ended) {
        trouble.tell(String.valueOf(ended.end()));
        ended.leave();
        current = null;
        pause();
    }

    /** A queue that is not there, or a channel that is closed again and again, must not be asked for all the time. */
    private long pause() {
        long pause = settings.retryPause().toNanos();
        beginAt = System.nanoTime() + pause;
        return pause;
    }

    private void acknowledge(Subscription subscription) {
        try {
            subscription.acknowledge();
        } catch (IOException | ShutdownSignalException e) {
            // What was settled is delivered again, and settles as a duplicate.
            log.debug("{}: queue '{}': an acknowledgement failed", settings.name(), queue, e);
        }
    }

    /** The connection is lost, and with it all that was not acknowledged. The next one may be used at once. */
    void disconnected() {
        if (current != null) {
            current.withdraw();
            current = null;
        }
        beginAt = System.nanoTime();
    }

    /** Takes nothing more, before the source is closed. */
    void withdraw() {
        if (current != null) {
            current.withdraw();
        }
    }

    /** Waits, after {@link #withdraw}, for what is in work, and acknowledges it. */
    void finish(Duration patience) {
        Subscription subscription = current;
        if (subscription == null) {
            return;
        }
        if (!subscription.awaitIdle(patience)) {
            log.warn(
                    "{}: messages of queue '{}' are still in work after {}; their redelivery will settle what became of them",
                    settings.name(),
                    queue,
                    settings.closeTimeout());
        }
        acknowledge(subscription);
    }
}
