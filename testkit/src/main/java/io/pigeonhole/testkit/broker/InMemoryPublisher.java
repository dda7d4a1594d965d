package io.pigeonhole.testkit.broker;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages to a queue of an {@link InMemoryBroker}, and lets tests disturb that. Safe for use by many threads.
 *
 * <pre>{@code
 * InMemoryPublisher publisher = broker.publisher("payments");
 * publisher.refuse(message -> message.payload().length > 1_000 ? new IOException("too large") : null);
 * publisher.leave();
 * }</pre>
 */
public final class InMemoryPublisher implements Publisher {
    private final InMemoryQueue queue;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Message> published = new ArrayList<>();
    private Function<Message, @Nullable Throwable> refusals = message -> null;
    private State state = State.THERE;
    private int confirmationsToLose;

    private enum State {
        THERE,
        AWAY,
        SILENT
    }

    InMemoryPublisher(InMemoryQueue queue) {
        this.queue = queue;
    }

    @Override
    public String name() {
        return "in-memory queue " + queue.name();
    }

    @Override
    public List<Publication> publish(List<Message> messages, Duration timeout) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return all(messages, e);
        }
        try {
            if (!awaitAnswer(timeout.toNanos())) {
                return all(messages, new TimeoutException("the broker does not answer"));
            }
            return state == State.AWAY
                    ? all(messages, new RetryableException("the broker is away", null))
                    : messages.stream().map(this::take).toList();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return all(messages, e);
        } finally {
            lock.unlock();
        }
    }

    private static List<Publication> all(List<Message> messages, Exception cause) {
        return Collections.nCopies(messages.size(), new Publication.Unavailable(cause));
    }

    private boolean awaitAnswer(long nanos) throws InterruptedException {
        long left = nanos;
        while (state == State.SILENT) {
            if (left <= 0) {
                return false;
            }
            left = changed.awaitNanos(left);
        }
        return true;
    }

    private Publication take(Message message) {
        Throwable refusal = refusals.apply(message);
        if (refusal != null) {
            return new Publication.Refused(refusal);
        }
        queue.add(message);
        published.add(message);
        if (confirmationsToLose > 0) {
            confirmationsToLose--;
            return new Publication.Unavailable(new RetryableException("the confirmation was lost", null));
        }
        return Publication.CONFIRMED;
    }

    /**
     * Refuses messages from now on.
     *
     * @param causes says of a message what it is refused with, or null where it is taken; called by the threads that publish
     */
    public void refuse(Function<Message, @Nullable Throwable> causes) {
        change(() -> refusals = causes);
    }

    /** Is away: all messages are unavailable at once. */
    public void leave() {
        change(() -> state = State.AWAY);
    }

    /** Takes no message and answers nothing: all messages are unavailable when their time is over, unless it comes back before. */
    public void fallSilent() {
        change(() -> state = State.SILENT);
    }

    /** Takes messages again, those that wait too. */
    public void comeBack() {
        change(() -> state = State.THERE);
    }

    /**
     * Takes the next messages, and says that they are unavailable.
     *
     * @param messages of how many messages the confirmation is lost
     */
    public void loseConfirmations(int messages) {
        change(() -> confirmationsToLose = messages);
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * What was taken, confirmed or not.
     *
     * @return the messages in the order in which the queue has got them
     */
    public List<Message> published() {
        lock.lock();
        try {
            return List.copyOf(published);
        } finally {
            lock.unlock();
        }
    }
}
