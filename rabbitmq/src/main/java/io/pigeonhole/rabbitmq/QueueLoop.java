package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Recoverable;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.core.store.StoreRefusal;
import io.pigeonhole.core.time.BoundedWait;
import io.pigeonhole.rabbitmq.Caution.Fault;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes one queue, with a thread and a connection of its own: opens the connection, consumes and acknowledges, again and
 * again. Whatever a queue does to its connection, or does not answer, the others do not notice. Deliveries come on threads
 * of the client and go straight into the delivery threads, whose threads only note what is settled and wake this one.
 *
 * <p>The client's own recovery is off: it does not know of what is in the delivery threads, opens no first connection, and does not
 * mend channels that were closed or consumers that were cancelled. One way back for all of these is enough.
 */
final class QueueLoop {
    private static final Logger log = LoggerFactory.getLogger(QueueLoop.class);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Duration HOLDING = Duration.ofMillis(50);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    /** For how long nothing comes at most before it is consumed anew. */
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(5);

    private static final int ABORT_MILLIS = 1_000;

    private final String queue;
    private final String name;
    private final SourceSettings settings;
    private final SourceInbox inbox;
    private final DeliveryThreads deliveryThreads;
    private final QueueFailures failures;
    private final Caution caution;
    private final AnswerWait answers;
    private final ThreadFactory threads;
    private final Thread thread;
    private final Semaphore wakeUps = new Semaphore(0);
    private long consumeAt;
    /** For how long nothing has to come before it is consumed anew. */
    private Duration idle;

    /** For how long subscriptions have lived that were renewed since the last one that ended by itself. */
    private Duration livedBefore = Duration.ZERO;

    private volatile @Nullable Subscription subscription;
    private volatile @Nullable Connection connection;
    private volatile @Nullable Throwable failure;
    private volatile boolean closing;

    QueueLoop(
            String queue,
            SourceSettings settings,
            SourceInbox inbox,
            DeliveryThreads deliveryThreads,
            QueueFailures failures,
            ThreadFactory threads) {
        this.queue = queue;
        this.name = settings.name() + ":" + queue;
        this.settings = settings;
        this.inbox = inbox;
        this.deliveryThreads = deliveryThreads;
        this.failures = failures;
        this.idle = settings.renewAfter();
        this.caution = new Caution(settings.prefetch(), settings.retryPause());
        this.answers = new AnswerWait(
                settings.answerTimeout(),
                method -> failures.waits(
                        queue,
                        "the broker does not answer " + method
                                + "; the source waits for the answer, and does not ask again while the connection lives"));
        this.threads = threads;
        this.thread = daemon(this::run, name);
    }

    private Thread daemon(Runnable task, String threadName) {
        Thread made = threads.newThread(task);
        made.setName(threadName);
        made.setDaemon(true);
        return made;
    }

    void start() {
        thread.start();
    }

    /** Why the queue was given up, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Which messages keep the queue from being read on; null where it is read, or the database is away. */
    @Nullable
    String standstill() {
        Subscription current = subscription;
        if (current == null || deliveryThreads.isWaiting() || answers.isLate()) {
            return null;
        }
        Duration standstill = current.standstill();
        String unfinished =
                standstill.compareTo(settings.standstill()) < 0 ? null : deliveryThreads.unfinished(current.group());
        return unfinished == null
                ? null
                : "queue '" + queue + "': no more messages are taken: " + current.unfinished()
                        + " are unfinished (prefetch " + settings.prefetch() + "), others wait in the queue, and for "
                        + standstill.toSeconds() + " s none of them was finished. " + unfinished;
    }

    /** Begins to end: what is in work is waited for and acknowledged. */
    void close() {
        closing = true;
        wakeUp();
    }

    /** Whether it may have messages that are worth waiting for. Behind a request without an answer nothing is acknowledged. */
    boolean isConsuming() {
        Subscription current = subscription;
        return current != null && current.mayHaveMessages() && thread.isAlive() && !answers.isLate();
    }

    /** Waits, after {@link #close}, for its end. */
    boolean awaitEnd(Duration timeout) {
        return BoundedWait.join(thread, timeout);
    }

    /** How long it takes to end after {@link #close}, if the broker answers. */
    static Duration longestClose(SourceSettings settings) {
        return settings.closeTimeout().plus(CLOSE_TIMEOUT.multipliedBy(2));
    }

    /** Cuts short, after {@link #close}, what waits for the broker. Does not wait itself. */
    void abandon() {
        thread.interrupt();
        Connection open = connection;
        if (open != null) {
            try {
                daemon(() -> open.abort(ABORT_MILLIS), name + " cut").start();
            } catch (Throwable e) {
                // No memory for a thread: then it is waited for, or else the connection stays.
                quietly(() -> open.abort(ABORT_MILLIS));
            }
        }
    }

    private void wakeUp() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    private void run() {
        try {
            while (!closing) {
                round();
            }
        } catch (Throwable e) {
            failure = e;
            quietly(() -> failures.gaveUp(queue, Reasons.textOf(e)));
            log.error(
                    "{}: gives the queue up; it takes no more messages from it until the source is started anew",
                    name,
                    FailureText.readable(e));
        } finally {
            end();
        }
    }

    private void round() {
        try {
            Connection open = connection;
            if (open == null) {
                connect();
            } else if (open.isOpen()) {
                await(tend(open));
            } else {
                lost(open);
            }
        } catch (InterruptedException e) {
            log.debug("{}: somebody interrupted the source; only close() ends it", name, e);
        } catch (Error e) {
            if (e == failure) {
                throw e;
            }
            ended(e);
        }
    }

    private void connect() throws InterruptedException {
        try {
            Connection opened = settings.opener().open(settings.connectionFactory(), name);
            if (opened instanceof Recoverable) {
                opened.abort(ABORT_MILLIS);
                throw new ConfigurationException(name
                        + ": the connection opener gave a connection that recovers by itself; open it with the"
                        + " factory that it is handed");
            }
            connection = opened;
            opened.addShutdownListener(signal -> wakeUp());
            consumeAt = System.nanoTime() + caution.trial().toNanos();
        } catch (ConfigurationException e) {
            throw e;
        } catch (IOException | TimeoutException | RuntimeException e) {
            // Such as of a provider of credentials whose server is away, or of a name that is not known for a moment.
            failures.report(queue, Reasons.textOf(e));
            pause(Reasons.isRefusal(e) ? caution.refused() : settings.retryPause());
        }
    }

    /** Does what there is to do; returns for how long there is nothing else, in nanoseconds. */
    private long tend(Connection open) throws InterruptedException {
        Subscription current = subscription;
        if (current == null) {
            long left = consumeAt - System.nanoTime();
            if (left > 0) {
                return left;
            }
            return begin(open);
        }
        Throwable thrown = current.failure();
        if (thrown != null) {
            ended(thrown);
        } else if (current.end() != null) {
            acknowledge(current);
            current.leave();
            ended(current, String.valueOf(current.end()), null, null);
            consumeAt = System.nanoTime() + later(settings.retryPause(), caution.trial());
        } else {
            work(open, current);
        }
        return (current.isHolding() ? HOLDING : LONGEST_WAIT).toNanos();
    }

    private void work(Connection open, Subscription current) {
        try {
            current.tend(!deliveryThreads.isWaiting());
            if (current.isProven()) {
                failures.isOver(queue);
            }
            current.lookWhereItStands(settings.standstill());
            if (!deliveryThreads.isWaiting() && current.isForgotten(idle)) {
                renew(current);
            }
        } catch (IOException | RuntimeException e) {
            // What was settled is delivered again, and settles as a duplicate.
            log.debug("{}: the channel failed", name, e);
            if (current.end() == null) {
                open.abort(ABORT_MILLIS);
            }
        }
    }

    /**
     * A broker may forget a consumer and say nothing, as RabbitMQ 3.10 does with a quorum queue that is deleted and at once made anew:
     * messages wait, and none comes. A classic queue without messages keeps its consumer: it may be one that deletes itself with the last. A
     * queue without a majority remembers each request to consume, so that these become rare.
     */
    private void renew(Subscription over) {
        over.leave();
        subscription = null;
        livedBefore = livedBefore.plus(over.lived());
        idle = over.hasDelivered()
                ? settings.renewAfter()
                : Duration.ofNanos(Math.min(
                        idle.multipliedBy(2).toNanos(),
                        Math.max(LONGEST_IDLE.toNanos(), settings.renewAfter().toNanos())));
    }

    private Duration livedWith(Subscription over) {
        Duration lived = livedBefore.plus(over.lived());
        livedBefore = Duration.ZERO;
        return lived;
    }

    /**
     * What is taken while the inbox takes nothing, because the database is away or full or the consumer is paused, comes back with
     * each connection that is lost meanwhile, and with each acknowledgement timeout, and is counted.
     */
    private boolean isInboxOpen() {
        try {
            inbox.probeClaim();
            failures.inboxTakes(queue);
            return true;
        } catch (RuntimeException e) {
            log.debug("{}: nothing is consumed yet", name, e);
            failures.inboxRefuses(
                    queue, "the inbox takes no messages now: " + StoreRefusal.describe(e), StoreRefusal.isPause(e));
            return false;
        }
    }

    /** Of a queue that is not there nothing is to be held back: its inbox is not asked. */
    private void find(Connection open) throws IOException {
        Channel channel = Channels.open(open);
        answers.send("queue.declare", () -> channel.queueDeclarePassive(queue));
        channel.abort();
    }

    private long begin(Connection open) throws InterruptedException {
        try {
            find(open);
            if (!isInboxOpen() || closing) {
                return LONGEST_WAIT.toNanos();
            }
            begin(Subscription.open(open, queue, settings, deliveryThreads.open(), caution, answers, this::wakeUp));
            caution.begun();
            if (!caution.isCareful()) {
                failures.isOver(queue);
            }
            return LONGEST_WAIT.toNanos();
        } catch (IOException | RuntimeException e) {
            Subscription asked = subscription;
            if (asked != null && !Reasons.isAnswer(e)) {
                open.abort(ABORT_MILLIS);
                connection = null;
                asked.withdraw();
                boolean mayBeDeadly = asked.endedBeforeDelivery() && !closing;
                ended(asked, Reasons.textOf(e), mayBeDeadly ? Fault.LOST_BEFORE_DELIVERY : null, e);
                pause(settings.retryPause());
                return 0;
            }
            subscription = null;
            if (asked != null) {
                asked.withdraw();
                countLeftUnanswered(asked);
            }
            report(Reasons.textOf(e));
            // A connection that was lost before anything was asked says nothing about the queue.
            boolean isRefused = Reasons.isAnswer(e) && !Reasons.isNotFound(e);
            Duration pause = isRefused ? caution.refused() : settings.retryPause();
            if (e instanceof ChannelContinuationTimeoutException) {
                // Only where the opener did not use the factory that it was handed.
                open.abort(ABORT_MILLIS);
            }
            if (!open.isOpen()) {
                connection = null;
                pause(pause);
            }
            consumeAt = System.nanoTime() + (asked == null ? pause.toNanos() : later(pause, caution.trial()));
            return pause.toNanos();
        }
    }

    /**
     * A message may come before the answer and be in work when the source is closed, so the subscription is known from here on.
     * Where the answer does not come, it has to end like one that began.
     */
    private void begin(Subscription prepared) throws IOException {
        subscription = prepared;
        try {
            prepared.begin();
        } finally {
            if (!prepared.hasAsked()) {
                subscription = null;
            }
        }
    }

    /** The connection is lost, and with it all that was not acknowledged. */
    private void lost(Connection open) throws InterruptedException {
        connection = null;
        ShutdownSignalException signal = open.getCloseReason();
        String reason = "the connection is lost" + (signal == null ? "" : ": " + Reasons.textOf(signal));
        Subscription over = subscription;
        if (over == null) {
            caution.lostInTrial();
            failures.report(queue, reason);
        } else {
            over.withdraw();
            Fault fault = Reasons.isUnreadable(signal)
                    ? Fault.UNREADABLE
                    : over.endedBeforeDelivery() && !Reasons.isForced(signal) ? Fault.LOST_BEFORE_DELIVERY : null;
            ended(over, reason, fault, signal);
        }
        pause(settings.retryPause());
    }

    private void ended(Subscription over, String reason, @Nullable Fault fault, @Nullable Throwable cause) {
        subscription = null;
        countLeftUnanswered(over);
        if (!caution.ended(over.limit(), over.hasAcknowledged(), livedWith(over), fault)) {
            throw new ConfigurationException(
                    "queue '" + queue + "': " + reason + ". That happens each time that its first message is delivered."
                            + " Each time counts as a delivery, and a quorum queue throws away what was delivered too"
                            + " often, so nothing more is taken from it. Take that message out of the queue by other"
                            + " means, or raise the limit of the client that it exceeds, then start the source anew",
                    cause);
        }
        report(reason);
    }

    private void countLeftUnanswered(Subscription over) {
        if (over.isLeftUnanswered()) {
            caution.leftUnanswered();
        }
    }

    private void report(String reason) {
        if (!closing) {
            failures.report(queue, reason);
        }
    }

    /** Something was thrown where no exception is known: what was not acknowledged comes again, on another connection. */
    private void ended(Throwable thrown) {
        Subscription over = subscription;
        Connection open = connection;
        subscription = null;
        connection = null;
        if (over != null) {
            quietly(over::withdraw);
            quietly(() -> acknowledge(over));
        }
        if (open != null) {
            quietly(() -> open.abort((int) CLOSE_TIMEOUT.toMillis()));
        }
        if (over != null && !caution.ended(over.limit(), over.hasAcknowledged(), livedWith(over), Fault.THROWN)) {
            failure = thrown;
            throw asUnchecked(thrown);
        }
        quietly(() -> log.error("{}: failed, going on with another connection", name, FailureText.readable(thrown)));
        quietly(() -> failures.report(queue, Reasons.textOf(thrown)));
        // Where nothing was consumed, such as for want of threads, the broker counts nothing: it is tried again without
        // end.
        quietly(() -> pauseUninterrupted(over == null ? caution.refused() : settings.retryPause()));
    }

    private RuntimeException asUnchecked(Throwable thrown) {
        if (thrown instanceof Error e) {
            throw e;
        }
        return thrown instanceof ConfigurationException e
                ? e
                : new IllegalStateException(
                        "queue '" + queue + "': a delivery could not be taken; this is a defect", thrown);
    }

    private void acknowledge(Subscription current) {
        try {
            current.acknowledge();
        } catch (IOException | ShutdownSignalException e) {
            // What was settled is delivered again, and settles as a duplicate.
            log.debug("{}: an acknowledgement failed", name, e);
        }
    }

    private static long later(Duration one, Duration other) {
        return Math.max(one.toNanos(), other.toNanos());
    }

    /** What comes after a wake-up wakes again; what came before is seen now. */
    private void await(long nanos) throws InterruptedException {
        if (!closing && wakeUps.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
            wakeUps.drainPermits();
        }
    }

    private void pauseUninterrupted(Duration longest) {
        try {
            pause(longest);
        } catch (InterruptedException e) {
            log.debug("{}: somebody interrupted the source; only close() ends it", name, e);
        }
    }

    /** Shortened at random by up to a half: not all sources come back at once. */
    private void pause(Duration longest) throws InterruptedException {
        long end = System.nanoTime()
                + longest.toNanos()
                - ThreadLocalRandom.current().nextLong(longest.toNanos() / 2 + 1);
        for (long left = end - System.nanoTime(); left > 0 && !closing; left = end - System.nanoTime()) {
            await(left);
        }
    }

    private void end() {
        // An interrupt would make the waiting for what is in work useless.
        boolean interrupted = Thread.interrupted();
        log.debug("{}: closing{}", name, interrupted ? ", interrupted" : "");
        quietly(this::finish);
        Connection open = connection;
        if (open != null) {
            quietly(() -> open.abort((int) CLOSE_TIMEOUT.toMillis()));
        }
        subscription = null;
    }

    private void finish() {
        Subscription last = subscription;
        if (last == null) {
            return;
        }
        last.withdraw();
        if (!last.awaitIdle(settings.closeTimeout())) {
            log.warn(
                    "{}: messages are still in work after {}; their redelivery will settle what became of them",
                    name,
                    settings.closeTimeout());
        }
        acknowledge(last);
    }

    private void quietly(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            log.debug("{}: did not end well; what was not acknowledged will be delivered again", name, e);
        }
    }
}
