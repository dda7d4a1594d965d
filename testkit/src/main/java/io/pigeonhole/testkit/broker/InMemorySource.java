package io.pigeonhole.testkit.broker;

import io.pigeonhole.core.delivery.DeliveryGroup;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes the messages of a queue to an inbox: one thread takes them and puts them into delivery threads, the delivery threads acknowledge what is
 * settled. It takes nothing while the delivery threads are full or the database is away. The smallest source that is complete.
 */
final class InMemorySource implements Source {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private static final long TIMEOUT_NANOS = Duration.ofMillis(10).toNanos();

    private final Inbox<?> inbox;
    private final InMemoryQueue queue;
    private final DeliverySettings settings;
    private final Thread thread;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable DeliveryThreads deliveryThreads;
    private volatile SourceState state = SourceState.NEW;

    InMemorySource(Inbox<?> inbox, InMemoryQueue queue, DeliverySettings settings) {
        this.inbox = inbox;
        this.queue = queue;
        this.settings = settings;
        this.thread = new Thread(this::run, "in-memory-source-" + queue.name());
    }

    @Override
    public String name() {
        return "in-memory source of inbox '" + inbox.consumer() + "' with queue " + queue.name();
    }

    @Override
    public Inbox<?> inbox() {
        return inbox;
    }

    @Override
    public synchronized void start() {
        if (state != SourceState.NEW) {
            throw new IllegalStateException(name() + " was started or closed before; make another one");
        }
        deliveryThreads = DeliveryThreads.start(thread.getName(), inbox, settings);
        state = SourceState.RUNNING;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        DeliveryThreads into = deliveryThreads;
        if (into == null) {
            return;
        }
        int generation = queue.generation();
        DeliveryGroup group = into.open();
        while (state == SourceState.RUNNING) {
            try {
                boolean heldBack = into.isFull() || into.isWaiting();
                InMemoryQueue.Delivery delivery = heldBack ? null : queue.take(this, TIMEOUT_NANOS);
                if (heldBack && closing.await(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)) {
                    return;
                }
                if (delivery == null) {
                    continue;
                }
                // The delivery itself says on which connection it came: asked before or after, the queue might say
                // another.
                if (delivery.generation() != generation) {
                    group.withdraw();
                    group = into.open();
                    generation = delivery.generation();
                }
                group.submit(delivery.message(), queue.name().hashCode(), outcome -> queue.acknowledge(delivery));
            } catch (InterruptedException e) {
                // Only close() ends this thread.
            }
        }
    }

    @Override
    public SourceState state() {
        DeliveryThreads now = deliveryThreads;
        if (state != SourceState.RUNNING || now == null) {
            return state;
        }
        if (now.isWaiting()) {
            return SourceState.WAITING_FOR_STORE;
        }
        return now.failure() == null && now.problem() == null ? SourceState.RUNNING : SourceState.DEGRADED;
    }

    @Override
    public List<String> problems() {
        DeliveryThreads now = deliveryThreads;
        String problem = now == null ? null : now.problem();
        return problem == null ? List.of() : List.of(problem);
    }

    @Override
    public @Nullable Throwable failure() {
        DeliveryThreads now = deliveryThreads;
        return now == null || state != SourceState.RUNNING ? null : now.failure();
    }

    @Override
    public void close() {
        DeliveryThreads started;
        synchronized (this) {
            if (state == SourceState.CLOSED) {
                return;
            }
            state = SourceState.CLOSED;
            started = deliveryThreads;
            closing.countDown();
        }
        if (started != null) {
            // It may be about to take one more message, which belongs to the next source then.
            BoundedWait.join(thread, CLOSE_TIMEOUT);
            started.close(CLOSE_TIMEOUT);
            queue.leave(this);
        }
    }
}
