package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Pigeonhole as a user has it who acknowledges first and works later: {@code inbox.receive}, and a node that works. */
final class ReceiveThenWork implements FloorVariant.Course {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final JdbcStore store;
    private final Inbox<JdbcContext> inbox;
    private final AtomicLong processed = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition reached = lock.newCondition();
    private volatile long goal = Long.MAX_VALUE;

    private ReceiveThenWork(String consumer, JdbcStore store, Handler<Payment, JdbcContext> handler) {
        this.store = store;
        this.inbox = Inbox.builder(consumer, store)
                .handle(Workload.TYPE, Payment::of, handler)
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        count(outcome);
                    }
                })
                .build();
    }

    /** With the very business logic of the floor. */
    static ReceiveThenWork direct(String consumer, JdbcStore store) {
        return new ReceiveThenWork(
                consumer, store, (payment, context) -> AtLeastOnce.apply(payment, context.connection()));
    }

    /** With the same two statements as deferred writes. */
    static ReceiveThenWork deferred(String consumer, JdbcStore store) {
        return new ReceiveThenWork(consumer, store, ExactlyOnce::deferPayment);
    }

    @Override
    public long run(Workload workload) throws Exception {
        expect(workload.unique());
        Node node = start();
        try {
            long began = System.nanoTime();
            receive(workload, StoreThenProcess.RECEIVERS);
            await();
            return System.nanoTime() - began;
        } finally {
            node.close();
        }
    }

    Node start() {
        return Node.builder(store)
                .inbox(inbox)
                .workers(StoreThenProcess.WORKERS)
                .start();
    }

    /** From here on so many messages are to be worked off. */
    void expect(long messages) {
        goal = processed.get() + messages;
    }

    void receive(Workload workload, int threads) throws Exception {
        new Partitions(workload, StoreThenProcess.BATCH, threads).drainInto(this::store);
    }

    private void store(List<Message> batch) {
        for (Outcome outcome : inbox.receive(batch)) {
            if (outcome.kind() != Outcome.Kind.RECEIVED && outcome.kind() != Outcome.Kind.DUPLICATE) {
                throw new IllegalStateException("nothing fails here, yet the inbox said " + outcome);
            }
        }
    }

    private void count(Outcome outcome) {
        if (outcome.kind() == Outcome.Kind.PROCESSED && processed.incrementAndGet() >= goal) {
            lock.lock();
            try {
                reached.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Until all that is expected has taken effect. */
    void await() throws InterruptedException, TimeoutException {
        lock.lock();
        try {
            long left = TIMEOUT.toNanos();
            while (processed.get() < goal) {
                if (left <= 0) {
                    throw new TimeoutException((goal - processed.get()) + " messages are left after "
                            + TimeUnit.NANOSECONDS.toMinutes(TIMEOUT.toNanos()) + " minutes");
                }
                left = reached.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
