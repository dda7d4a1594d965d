package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.relay.Publication;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A channel on which the broker confirms what it takes and returns what it has no queue for. Used by one call at a time; the answers
 * come on the thread of the connection.
 */
final class ConfirmChannel {
    private final Channel channel;
    private final int frameMax;

    /** By the numbers that the broker confirms. */
    private final NavigableMap<Long, Integer> unconfirmed = new TreeMap<>();

    private final Map<String, Integer> indexById = new HashMap<>();
    private final Map<Integer, Throwable> refused = new HashMap<>();
    private final Set<Integer> confirmed = new HashSet<>();
    private final Set<Integer> rejected = new HashSet<>();
    private @Nullable ShutdownSignalException end;

    private ConfirmChannel(Channel channel, int frameMax) {
        this.channel = channel;
        this.frameMax = frameMax;
    }

    static ConfirmChannel open(Connection connection) throws IOException {
        Channel channel = Channels.open(connection);
        ConfirmChannel confirming = new ConfirmChannel(channel, connection.getFrameMax());
        channel.addShutdownListener(confirming::ended);
        channel.addReturnListener(confirming::returned);
        channel.addConfirmListener(
                (number, andBefore) -> confirming.answered(number, andBefore, confirming.confirmed),
                (number, andBefore) -> confirming.answered(number, andBefore, confirming.rejected));
        channel.confirmSelect();
        return confirming;
    }

    private synchronized void ended(ShutdownSignalException signal) {
        end = signal;
        notifyAll();
    }

    private synchronized void returned(Return message) {
        Integer index = indexById.get(message.getProperties().getMessageId());
        if (index != null) {
            refused.put(
                    index,
                    new UnroutableMessageException(
                            message.getExchange(),
                            message.getRoutingKey(),
                            message.getReplyCode(),
                            message.getReplyText()));
        }
    }

    private synchronized void answered(long number, boolean andBefore, Set<Integer> with) {
        Map<Long, Integer> answered =
                andBefore ? unconfirmed.headMap(number, true) : unconfirmed.subMap(number, true, number, true);
        with.addAll(answered.values());
        answered.clear();
        notifyAll();
    }

    /**
     * Publishes messages and waits for the answers.
     *
     * @param until of {@link System#nanoTime}
     * @return what became of each; null where the broker closed the channel for what is in a message, and it may have been this one or
     *     another
     */
    List<@Nullable Publication> publish(List<OutgoingMessage> messages, long until) {
        begin();
        Throwable failure = null;
        for (int i = 0; i < messages.size() && failure == null; i++) {
            failure = send(i, messages.get(i));
        }
        Throwable unanswered = await(until);
        if (failure == null) {
            failure = unanswered;
        }
        if (failure == null) {
            failure = askForReturns();
        }
        // Over the time, the client says only that its connection is cut.
        boolean isLate = failure != null && System.nanoTime() - until >= 0;
        return outcomes(messages.size(), isLate ? timeout(failure) : failure);
    }

    private synchronized void begin() {
        indexById.clear();
        refused.clear();
        confirmed.clear();
        rejected.clear();
    }

    /** What keeps this message and all others from being sent, or null. */
    private @Nullable Throwable send(int index, OutgoingMessage message) {
        if (Thread.currentThread().isInterrupted()) {
            return interruption();
        }
        try {
            int size = message.properties().toFrame(0, message.body().length).size();
            if (frameMax > 0 && size > frameMax) {
                refuse(
                        index,
                        new PermanentFailure("the headers have " + size + " bytes, more than the " + frameMax
                                + " of a frame (frame_max of the broker): send less in headers"));
                return null;
            }
            register(index, message);
            channel.basicPublish(message.exchange(), message.routingKey(), true, message.properties(), message.body());
            return null;
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    private synchronized void refuse(int index, Throwable cause) {
        refused.put(index, cause);
    }

    private synchronized void register(int index, OutgoingMessage message) {
        unconfirmed.put(channel.getNextPublishSeqNo(), index);
        String id = message.properties().getMessageId();
        if (id != null) {
            indexById.put(id, index);
        }
    }

    /** Why the waiting ended before all was answered, or null where it was. */
    private synchronized @Nullable Throwable await(long until) {
        while (!unconfirmed.isEmpty()) {
            if (end != null) {
                return end;
            }
            if (Thread.currentThread().isInterrupted()) {
                return interruption();
            }
            long left = until - System.nanoTime();
            if (left <= 0) {
                return timeout(null);
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return null;
    }

    /** Some brokers reject what they have no queue for, and return it behind that: their next answer comes behind both. */
    private @Nullable Throwable askForReturns() {
        if (!hasRejected()) {
            return null;
        }
        try {
            // Any request does that has no effect on a channel without consumers.
            channel.basicQos(0);
            return null;
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    private synchronized boolean hasRejected() {
        return !rejected.isEmpty();
    }

    private static Throwable timeout(@Nullable Throwable cause) {
        return cause instanceof TimeoutException || cause instanceof InterruptedException
                ? cause
                : new TimeoutException("not confirmed within the time for publishing").initCause(cause);
    }

    private static Throwable interruption() {
        return new InterruptedException("interrupted while messages were published");
    }

    private synchronized List<@Nullable Publication> outcomes(int count, @Nullable Throwable failure) {
        List<@Nullable Publication> outcomes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Publication answer = answer(i);
            outcomes.add(answer != null || isClosedForAMessage() ? answer : unavailable(failure));
        }
        if (outcomes.indexOf(null) >= 0 && outcomes.indexOf(null) == outcomes.lastIndexOf(null)) {
            outcomes.set(
                    outcomes.indexOf(null),
                    new Publication.Refused(
                            new IOException("the broker closes the channel for this message: " + textOf(end), end)));
        }
        return outcomes;
    }

    private @Nullable Publication answer(int index) {
        Throwable refusal = refused.get(index);
        if (refusal != null) {
            return new Publication.Refused(refusal);
        }
        if (confirmed.contains(index)) {
            return Publication.CONFIRMED;
        }
        return rejected.contains(index)
                ? new Publication.Unavailable(new IOException("the broker answers that it could not take the message"
                        + " (basic.nack): a queue is full and rejects what is published, or has failed"))
                : null;
    }

    private static String textOf(@Nullable ShutdownSignalException end) {
        return end == null ? "" : Reasons.textOf(end);
    }

    private Publication unavailable(@Nullable Throwable failure) {
        Throwable cause = failure == null ? end : failure;
        return new Publication.Unavailable(
                cause == null
                        ? new IllegalStateException("the message was not sent: a defect of the publisher")
                        : cause);
    }

    /** Whether the broker closed the channel, and not for the exchange or the rights of the user. */
    private boolean isClosedForAMessage() {
        return end != null
                && end.getReason() instanceof AMQP.Channel.Close close
                && (close.getReplyCode() == AMQP.PRECONDITION_FAILED || close.getReplyCode() == AMQP.CONTENT_TOO_LARGE);
    }

    /** Whether the broker may have got a message that it has not answered, and nothing has ended that. */
    synchronized boolean isUnderWay() {
        return end == null && !unconfirmed.isEmpty();
    }

    /** Whether it is open and nothing is under way on it. */
    synchronized boolean isIdle() {
        return end == null && unconfirmed.isEmpty();
    }
}
