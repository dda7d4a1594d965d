package io.pigeonhole.chaos;

import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.delivery.DeliveryGroup;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A source without a broker that always has some messages on the way: each that is settled is followed by the next. */
final class Feed implements Source {
    private static final int ON_THE_WAY = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Inbox<?> inbox;
    private final IntFunction<Message> messages;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable DeliveryThreads threads;
    private @Nullable DeliveryGroup group;
    private int submitted;
    private int settled;
    private boolean stopped;

    Feed(Inbox<?> inbox, IntFunction<Message> messages) {
        this.inbox = inbox;
        this.messages = messages;
    }

    @Override
    public String name() {
        return "feed";
    }

    @Override
    public Inbox<?> inbox() {
        return inbox;
    }

    @Override
    public void start() {
        lock.lock();
        try {
            DeliveryThreads started = DeliveryThreads.start(name(), inbox, DeliverySettings.standard());
            threads = started;
            group = started.open();
            for (int i = 0; i < ON_THE_WAY; i++) {
                submit();
            }
        } finally {
            lock.unlock();
        }
    }

    private void submit() {
        DeliveryGroup open = group;
        if (!stopped && open != null) {
            int number = submitted++;
            open.submit(messages.apply(number), number, outcome -> next());
        }
    }

    private void next() {
        lock.lock();
        try {
            settled++;
            submit();
        } finally {
            lock.unlock();
        }
    }

    int submitted() {
        lock.lock();
        try {
            return submitted;
        } finally {
            lock.unlock();
        }
    }

    int settled() {
        lock.lock();
        try {
            return settled;
        } finally {
            lock.unlock();
        }
    }

    /** Submits no more, and waits until all that was submitted is settled. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
        } finally {
            lock.unlock();
        }
        await().atMost(PATIENCE).until(() -> settled() == submitted());
    }

    @Override
    public SourceState state() {
        lock.lock();
        try {
            if (threads == null) {
                return SourceState.NEW;
            }
            return threads.isWaiting() ? SourceState.WAITING_FOR_STORE : SourceState.RUNNING;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Throwable failure() {
        return null;
    }

    @Override
    public void close() {
        DeliveryThreads started;
        lock.lock();
        try {
            stopped = true;
            started = threads;
        } finally {
            lock.unlock();
        }
        if (started != null) {
            started.close(PATIENCE);
        }
    }
}
