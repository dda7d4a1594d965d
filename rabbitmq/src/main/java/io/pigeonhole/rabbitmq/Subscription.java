package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AMQP.Queue.DeclareOk;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.delivery.DeliveryGroup;
import io.pigeonhole.core.message.Message;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a queue on one channel, from its beginning until the channel or the consumer ends. Delivery tags mean something on
 * their channel only: what is settled after the end is noted here, and nobody acknowledges it.
 *
 * <p>It begins with fewer messages than the prefetch limit, and takes more as what it had is settled, by a wider consumer in place
 * of the one there is. That one is cancelled at a moment when all that it may have is settled and nothing acknowledged. Then
 * nothing is on its way, and nobody overtakes, also where the queue lets a single consumer be active. The queue is never without a
 * consumer meanwhile: one that deletes itself stays.
 *
 * <p>Where a broker's classic queues do not bear that ({@link TakeoverDefect}), the consumer stays, and the limit of its channel is
 * raised ({@code basic.qos} with {@code global}). Quorum queues refuse such a limit, and newer brokers deprecate it.
 *
 * <p>A quorum queue gives back what a lost connection had consumer by consumer. So two of them never take messages at the same
 * time: the older one is full, and nothing of it is acknowledged, until one of the two is cancelled.
 *
 * <p>Deliveries come on threads of the client, one at a time; everything else is called by the thread of the queue.
 */
final class Subscription extends DefaultConsumer {
    /** Who lives so long was not ended by what is first in the queue. */
    private static final Duration SURVIVED = Duration.ofSeconds(2);

    /** Longer than a message is on its way. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

    /** Longer than a broker needs to put back what it had sent to a consumer that was cancelled. */
    private static final long PUT_BACK = Duration.ofMillis(200).toNanos();

    private final String queue;
    private final SourceSettings settings;
    private final boolean limitsChannel;
    private final Caution caution;
    private final DeliveryGroup group;
    private final AnswerWait answers;
    private final Runnable wakeUp;
    private final Unacknowledged unacknowledged;
    private final long begunAt = System.nanoTime();
    private final Windows windows = new Windows();
    private final Hold hold = new Hold();
    private boolean messagesWaited;
    private boolean asked;
    private volatile boolean answered;
    private long askedAt;
    private long moreAt;
    private long moreLaterAt;
    private long putBackAt = System.nanoTime();
    private boolean takesBack;
    private long settledBefore;
    private long deliveredBefore;
    private long idleSince = System.nanoTime();
    private long lookAt = System.nanoTime();
    private long standLookAt = System.nanoTime();
    private boolean messagesWaitedBefore;
    private volatile boolean messagesReady;
    private volatile long unfinished;
    private long settledAtLook;
    private long deliveredAtLook;
    private volatile long standsSince = System.nanoTime();
    private long progressAt = System.nanoTime();
    private long steppedAt = System.nanoTime();
    private boolean withdrawn;
    private volatile @Nullable String end;
    private volatile @Nullable Throwable failure;

    private Subscription(
            Channel channel,
            String queue,
            SourceSettings settings,
            boolean limitsChannel,
            DeliveryGroup group,
            Caution caution,
            AnswerWait answers,
            Runnable wakeUp) {
        super(channel);
        this.queue = queue;
        this.settings = settings;
        this.limitsChannel = limitsChannel;
        this.group = group;
        this.caution = caution;
        this.answers = answers;
        this.wakeUp = wakeUp;
        this.unacknowledged = new Unacknowledged(wakeUp);
    }

    /** Prepares to consume a queue, on a channel of its own. Nothing is delivered before {@link #begin}. */
    static Subscription open(
            Connection connection,
            String queue,
            SourceSettings settings,
            DeliveryGroup group,
            Caution caution,
            AnswerWait answers,
            Runnable wakeUp)
            throws IOException {
        boolean limitsChannel = TakeoverDefect.concerns(connection, queue);
        Channel channel = Channels.open(connection);
        Subscription subscription =
                new Subscription(channel, queue, settings, limitsChannel, group, caution, answers, wakeUp);
        if (caution.isCareful()) {
            answers.send("queue.declare", () -> {
                DeclareOk found = channel.queueDeclarePassive(queue);
                // Others may get them: the active consumer, or one of a higher priority.
                subscription.messagesWaited = found.getMessageCount() > 0 && found.getConsumerCount() == 0;
            });
        }
        return subscription;
    }

    /** Begins to consume. Where that throws, the broker may have delivered all the same: see {@link #hasAsked}. */
    void begin() throws IOException {
        consume(caution.first());
    }

    /**
     * Whether the broker was asked for messages. It sends the first one together with its answer, so that both may be lost on their
     * way, and counts it.
     */
    boolean hasAsked() {
        return asked;
    }

    /** Whether the broker answered that it may consume, or delivered something before that answer. Any thread may ask. */
    boolean mayHaveMessages() {
        return answered || windows.delivered() > 0;
    }

    /** Whether its last request to consume was not answered for long, so that the broker may have kept it. */
    boolean isLeftUnanswered() {
        return asked
                && !answered
                && System.nanoTime() - askedAt >= settings.answerTimeout().toNanos();
    }

    private void consume(int messages) throws IOException {
        Window window = windows.add(messages);
        getChannel().basicQos(limitsChannel ? settings.prefetch() : messages);
        if (limitsChannel) {
            // Behind the other: the broker lifts the limit of the channel where that of consumers is set.
            limitChannel(messages);
        }
        asked = true;
        answered = false;
        askedAt = System.nanoTime();
        answers.send("basic.consume", () -> getChannel().basicConsume(queue, false, window.tag(), this));
        answered = true;
        stepped();
    }

    private void cancel(String tag) throws IOException {
        answers.send("basic.cancel", () -> getChannel().basicCancel(tag));
    }

    /** Takes more with the consumer that there is. */
    private void raise(int messages) throws IOException {
        limitChannel(messages);
        windows.raise(messages);
        stepped();
    }

    /** None where that of the consumer is enough: the broker takes less time without. */
    private void limitChannel(int messages) throws IOException {
        getChannel().basicQos(messages < settings.prefetch() ? messages : 0, true);
    }

    /** What is settled from now on counts for the next step. */
    private void stepped() {
        int limit = windows.limit();
        long settled = unacknowledged.collect();
        moreAt = settled + caution.proofOf(limit);
        moreLaterAt = settled + limit;
        steppedAt = System.nanoTime();
        progressAt = steppedAt;
    }

    @Override
    public synchronized void handleDelivery(
            String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
        if (withdrawn || failure != null) {
            // Not acknowledged, it goes back to the queue when the channel is closed.
            return;
        }
        try {
            long tag = envelope.getDeliveryTag();
            Delivery delivery = new Delivery(envelope, properties, body);
            Message message = settings.mapper().map(queue, delivery);
            group.submit(message, unacknowledged.add(tag, windows.delivered(consumerTag)));
        } catch (Throwable e) {
            failure = e;
            wakeUp.run();
        }
    }

    @Override
    public void handleCancelOk(String consumerTag) {
        windows.left(consumerTag);
        wakeUp.run();
    }

    @Override
    public void handleCancel(String consumerTag) {
        end = "the broker cancelled the consumer, as when the queue is deleted";
        wakeUp.run();
    }

    @Override
    public void handleShutdownSignal(String consumerTag, ShutdownSignalException signal) {
        // First what needs no memory: an end that nobody notes is the end of consuming.
        end = "its channel was closed";
        try {
            end = Reasons.textOf(signal);
        } finally {
            wakeUp.run();
        }
    }

    /** Why it ended by itself, or null while it goes on. */
    @Nullable
    String end() {
        return end;
    }

    /** What was thrown at a delivery, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /**
     * Acknowledges what was settled since the last time, and takes more where it began with less.
     *
     * @param isStoreThere whether the database answers, so that what is slow is slow by itself
     */
    void tend(boolean isStoreThere) throws IOException {
        noteProgress(isStoreThere);
        int next = Math.min(caution.more(windows.limit()), settings.prefetch() - windows.leftOver());
        boolean more = mayTakeMore(isStoreThere) && next > windows.limit();
        if (windows.hasOlder()) {
            if (!windows.isOlderReplaceable()) {
                if (!isHeld(isStoreThere)) {
                    cancelNewest();
                }
                return;
            }
            cancelOlder();
        } else if (isTakingBack()) {
            return;
        } else if (windows.hasYoungerLeftOver()) {
            consume(Math.max(1, beside(next)));
            cancelOlder();
        } else if (!more) {
            hold.end();
        } else if (limitsChannel) {
            raise(next);
        } else if (windows.isNewestFullAndSettled()) {
            consume(next);
            cancelOlder();
        } else if (isHeld(isStoreThere) || hasBegunBeside(next)) {
            return;
        }
        acknowledge();
    }

    private void noteProgress(boolean isStoreThere) {
        long settled = unacknowledged.collect();
        long delivered = windows.delivered();
        // One that is tried beside a full one, and gets nothing, is no progress.
        boolean hasRoom = !windows.hasOlder() && !windows.isNewestFull();
        if (settled != settledAtLook || delivered != deliveredAtLook || !isStoreThere || hasRoom) {
            settledAtLook = settled;
            deliveredAtLook = delivered;
            standsSince = System.nanoTime();
            messagesReady = false;
        }
        unfinished = delivered - settled;
    }

    /** Whether messages wait while it has stood still for long; asked now and then. */
    void lookWhereItStands(Duration limit) throws IOException {
        long now = System.nanoTime();
        if (now - standsSince >= limit.toNanos() && now - standLookAt >= 0) {
            standLookAt = now + LOOK_AGAIN.multipliedBy(5).toNanos();
            messagesReady = messagesReady();
        }
    }

    private boolean messagesReady() throws IOException {
        int[] ready = {0};
        answers.send(
                "queue.declare",
                () -> ready[0] = getChannel().queueDeclarePassive(queue).getMessageCount());
        return ready[0] > 0;
    }

    /** How many are delivered and not settled. Any thread may ask. */
    long unfinished() {
        return unfinished;
    }

    /** What it was delivered belongs to this group. */
    DeliveryGroup group() {
        return group;
    }

    /**
     * For how long it has had all that it takes at once, and nothing of it was settled although the database was there, and messages wait
     * in the queue. Any thread may ask.
     */
    Duration standstill() {
        return messagesReady ? Duration.ofNanos(System.nanoTime() - standsSince) : Duration.ZERO;
    }

    private boolean mayTakeMore(boolean isStoreThere) {
        long settled = unacknowledged.collect();
        long now = System.nanoTime();
        if (settled != settledBefore || settled == windows.delivered()) {
            settledBefore = settled;
            progressAt = now;
        }
        long timeout = caution.timeout().toNanos();
        boolean isStalled = isStoreThere && now - progressAt > timeout;
        boolean isProvenByTime = settled >= moreLaterAt && now - steppedAt > 2 * timeout;
        return settled >= moreAt || isProvenByTime || isStalled;
    }

    private boolean isHeld(boolean isStoreThere) {
        if (!isStoreThere) {
            hold.end();
            return false;
        }
        return hold.isHeld(windows.delivered(), unacknowledged.collect(), System.nanoTime());
    }

    /**
     * Takes more beside what does not settle. If the newer consumer gets messages, which is not so where a queue lets a single
     * one be active, the older one is cancelled; what it has is older, and comes back first. If it gets none, it is taken back.
     */
    private boolean hasBegunBeside(int next) throws IOException {
        int beside = beside(next);
        // With nothing to acknowledge there was nothing to hold back, and it need not be tried first.
        boolean nothingToHold = unacknowledged.collect() == unacknowledged.acknowledged();
        // Fewer than it has already are worth it only where they are all that is left.
        boolean isTooLittle = beside < Math.min(windows.limit(), Math.max(1, rest()));
        if (!(hold.hasFailed() || nothingToHold) || !windows.isNewestFull() || isTooLittle) {
            return false;
        }
        consume(beside);
        if (windows.isShared()) {
            cancelOlder();
            return false;
        }
        hold.begin(System.nanoTime());
        return true;
    }

    private int beside(int next) {
        return Math.min(next, rest());
    }

    /** How many more it may have at once. */
    private int rest() {
        return settings.prefetch() - windows.leftOver() - windows.limit();
    }

    /** The older one is full, so that nobody gets meanwhile what is on its way to this one and is put back. */
    private void cancelNewest() throws IOException {
        takesBack = true;
        cancel(windows.removeNewest());
        putBackAt = System.nanoTime() + PUT_BACK;
        stepped();
    }

    private boolean isTakingBack() {
        takesBack = windows.isNewestLeaving() || (takesBack && System.nanoTime() - putBackAt < 0);
        return takesBack;
    }

    /** Nothing is on its way to them, and what they have can be acknowledged afterwards. */
    private void cancelOlder() throws IOException {
        for (String older : windows.removeOlder()) {
            cancel(older);
        }
        stepped();
        hold.succeeded();
    }

    /** Whether it waits for something that nobody notifies it of, and wants to look again soon. */
    boolean isHolding() {
        return hold.isHolding() || takesBack;
    }

    /** Acknowledges what was settled since the last time. */
    void acknowledge() throws IOException {
        unacknowledged.acknowledge(getChannel()::basicAck);
    }

    /** How many messages it takes at once. */
    int limit() {
        return windows.limit();
    }

    /** Whether anything was acknowledged. */
    boolean hasAcknowledged() {
        return unacknowledged.acknowledged() > 0;
    }

    /** Whether it goes on beyond its first message, or long enough to say that it works. */
    boolean isProven() {
        return hasAcknowledged() || lived().compareTo(SURVIVED) > 0;
    }

    /**
     * Whether for so long nothing was delivered and nothing is unfinished although messages may wait. The queue is looked at twice, as one
     * may be on its way. It is not asked for its consumers: RabbitMQ counts those that it has forgotten.
     */
    boolean isForgotten(Duration idle) throws IOException {
        long now = System.nanoTime();
        if (!isIdleFor(idle)) {
            messagesWaitedBefore = false;
            lookAt = now;
            return false;
        }
        if (now - lookAt < 0) {
            return false;
        }
        boolean messagesWait = mayCountAsDelivered() || messagesReady();
        boolean twice = messagesWait && messagesWaitedBefore;
        messagesWaitedBefore = messagesWait;
        lookAt = System.nanoTime() + (messagesWait ? LOOK_AGAIN : idle).toNanos();
        return twice;
    }

    /**
     * A broker with the defect takes the messages of a quorum queue that was made anew for delivered to the consumer that it has forgotten,
     * and none is ready. Such a queue does not delete itself with its last consumer, as a classic one may.
     */
    private boolean mayCountAsDelivered() {
        return !limitsChannel
                && TakeoverDefect.isIn(getChannel().getConnection().getServerProperties());
    }

    /** Whether for so long nothing was delivered, and nothing is unfinished. */
    private boolean isIdleFor(Duration pause) {
        long now = System.nanoTime();
        long delivered = windows.delivered();
        boolean isBusy = delivered != deliveredBefore
                || unacknowledged.acknowledged() != delivered
                || windows.hasOlder()
                || takesBack;
        if (isBusy) {
            deliveredBefore = delivered;
            idleSince = now;
        }
        return now - idleSince >= pause.toNanos();
    }

    /** Whether anything came. */
    boolean hasDelivered() {
        return windows.delivered() > 0;
    }

    /** Since when it consumes. */
    Duration lived() {
        return Duration.ofNanos(System.nanoTime() - begunAt);
    }

    /** Whether nothing came although messages waited and nobody else consumed; known only where the beginning was careful. */
    boolean endedBeforeDelivery() {
        return messagesWaited && windows.delivered() == 0;
    }

    /** Takes back what is not in work, and takes nothing more. */
    synchronized void withdraw() {
        withdrawn = true;
        group.withdraw();
    }

    /** Waits, after {@link #withdraw}, for what is in work; false if it still is after so long. */
    boolean awaitIdle(Duration timeout) {
        return group.awaitIdle(timeout);
    }

    /** Withdraws, and gives back to the queue what is not acknowledged. */
    void leave() {
        withdraw();
        try {
            getChannel().abort();
        } catch (IOException e) {
            // The channel is gone, which is what was wanted.
        }
    }
}
