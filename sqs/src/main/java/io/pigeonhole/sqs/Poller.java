package io.pigeonhole.sqs;

import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.core.store.StoreRefusal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import software.amazon.awssdk.services.sqs.model.Message;

/**
 * Asks the queue for messages and puts them into the delivery threads, ten at a time, for as long as there is room. What is not asked
 * for stays with SQS and does not age there. One of several.
 */
final class Poller implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Poller.class);
    private static final Duration PAUSE_WHILE_FULL = Duration.ofMillis(10);
    private static final Duration PAUSE_AFTER_ERROR = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final SqsSource.Settings settings;
    private final SourceInbox inbox;
    private final SqsQueue queue;
    private final DeliveryThreads deliveryThreads;
    private final InFlight inFlight;
    private final Acknowledgements acknowledgements;
    private final CountDownLatch stopping;
    private final CallFailures receiving;
    private final CallFailures handing;
    private int failures;
    private volatile @Nullable String storeProblem;

    Poller(
            SqsSource.Settings settings,
            SourceInbox inbox,
            SqsQueue queue,
            DeliveryThreads deliveryThreads,
            InFlight inFlight,
            Acknowledgements acknowledgements,
            CountDownLatch stopping,
            CallFailures receiving,
            CallFailures handing) {
        this.settings = settings;
        this.inbox = inbox;
        this.queue = queue;
        this.deliveryThreads = deliveryThreads;
        this.inFlight = inFlight;
        this.acknowledgements = acknowledgements;
        this.stopping = stopping;
        this.receiving = receiving;
        this.handing = handing;
    }

    /** Whether it has not begun yet, because the inbox takes nothing: the database is away or full, or the consumer paused. */
    boolean waitsForStore() {
        return storeProblem != null;
    }

    /** Why the inbox takes nothing; null where it is not known that it takes none. */
    @Nullable
    String storeProblem() {
        return storeProblem;
    }

    @Override
    public void run() {
        try {
            poll();
        } finally {
            inFlight.pollerEnded();
        }
    }

    private void poll() {
        boolean begun = false;
        while (stopping.getCount() > 0) {
            try {
                if (!begun) {
                    begun = begins();
                } else if (isHeldBack()) {
                    pause(PAUSE_WHILE_FULL);
                } else {
                    receive();
                }
            } catch (InterruptedException e) {
                log.debug("{}: somebody interrupted the source; only close() ends it", settings.name(), e);
            } catch (Throwable e) {
                survive(e);
            }
        }
    }

    /** What was received and is lost here comes again when its visibility timeout is over. */
    private void survive(Throwable e) {
        try {
            handing.is(e);
        } catch (Throwable again) {
            // Most likely the memory is used up, and nothing can be said.
        }
        LockSupport.parkNanos(PAUSE_AFTER_ERROR.toNanos());
    }

    /** Of a queue that is not there nothing is to be held back: its inbox is not asked. */
    private boolean begins() throws InterruptedException {
        try {
            queue.find();
        } catch (RuntimeException e) {
            failed(e);
            return false;
        }
        // It is there. Whether it lets anybody receive shows later.
        receiving.isPointless();
        awaitInbox();
        return true;
    }

    /**
     * SQS counts what it hands out. A process that begins while the database is away or full, or the consumer is paused, must not
     * make messages suspects of killing processes, nor have a redrive policy move them away, again and again.
     */
    private void awaitInbox() throws InterruptedException {
        boolean warned = false;
        while (stopping.getCount() > 0) {
            try {
                inbox.probeClaim();
                storeProblem = null;
                return;
            } catch (PigeonholeException e) {
                // The inbox has said that it is paused.
                boolean warns = !warned && !StoreRefusal.isPause(e);
                warned |= warns;
                log.atLevel(warns ? Level.WARN : Level.DEBUG)
                        .setCause(FailureText.readable(e))
                        .log("{}: the inbox takes no messages now, nothing is received yet", settings.name());
                storeProblem = StoreRefusal.describe(e);
                pause(PAUSE_AFTER_ERROR);
            }
        }
    }

    private boolean isHeldBack() {
        return deliveryThreads.isFull()
                || deliveryThreads.isWaiting()
                // Those that wait for another try hold nothing up.
                || acknowledgements.untried() >= settings.delivery().maxMessages();
    }

    private void receive() throws InterruptedException {
        List<Message> messages;
        try {
            messages = queue.receive();
            receiving.isOver();
            failures = 0;
        } catch (RuntimeException e) {
            failed(e);
            return;
        }
        if (messages.isEmpty()) {
            handing.isOver();
            return;
        }
        Received received =
                new Received(messages, settings.visibilityTimeout(), deliveryThreads.open(), acknowledgements::add);
        // Not taken where the source was closed while this thread waited for messages.
        if (inFlight.take(received)) {
            submit(received);
            handing.isOver();
        }
    }

    private void failed(RuntimeException e) throws InterruptedException {
        if (stopping.getCount() > 0) {
            receiving.is(e);
            pause(pauseAfter(failures++));
        }
    }

    private static Duration pauseAfter(int failures) {
        Duration pause = PAUSE_AFTER_ERROR.multipliedBy(1L << Math.min(failures, 4));
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    /** Those that could not be submitted must not be kept hidden for as long as the process lives. */
    private void submit(Received received) {
        try {
            received.submit(settings.mapper());
        } catch (Throwable e) {
            received.abandon();
            throw e;
        }
    }

    private void pause(Duration duration) throws InterruptedException {
        if (stopping.await(duration.toMillis(), TimeUnit.MILLISECONDS)) {
            log.debug("{}: stopping", settings.name());
        }
    }
}
