package io.pigeonhole.benchmarks.retire;

import io.pigeonhole.benchmarks.load.TimeOrderedIds;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.time.SystemTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads that accept new messages, half of them with time-ordered ids, in batches until they are asked to end. */
final class Load implements AutoCloseable {
    static final int THREADS = 4;

    static final String TYPE = "something.happened";
    private static final int BATCH = 50;
    private static final double NANOS = 1e9;
    private static final double NANOS_OF_MILLI = 1e6;
    private static final byte[] PAYLOAD = new byte[100];

    private final Inbox<?> inbox;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<Future<Report>> running = new ArrayList<>();
    private final long began = System.nanoTime();

    private Load(Inbox<?> inbox) {
        this.inbox = inbox;
    }

    /**
     * What the load came to.
     *
     * @param messages how many were accepted
     * @param failed how many batches were not
     * @param longestNanos of a batch
     * @param nanos of all
     */
    record Report(long messages, long failed, long longestNanos, long nanos) {
        Report plus(Report other) {
            return new Report(
                    messages + other.messages,
                    failed + other.failed,
                    Math.max(longestNanos, other.longestNanos),
                    Math.max(nanos, other.nanos));
        }

        String describe() {
            return String.format(
                    Locale.ROOT,
                    "%.0f messages/s, %d failed batches, longest batch %.0f ms",
                    messages * NANOS / nanos,
                    failed,
                    longestNanos / NANOS_OF_MILLI);
        }
    }

    static Load on(Inbox<?> inbox) {
        Load load = new Load(inbox);
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random();
            load.running.add(load.threads.submit(() -> load.accept(random)));
        }
        return load;
    }

    private Report accept(Random random) {
        long messages = 0;
        long failed = 0;
        long longest = 0;
        TimeOrderedIds ids = new TimeOrderedIds(SystemTime.clock().millis(), random);
        while (!ended.get()) {
            List<Message> batch = batch(ids, random);
            long begun = System.nanoTime();
            try {
                boolean all =
                        inbox.process(batch).stream().allMatch(outcome -> outcome.kind() == Outcome.Kind.PROCESSED);
                messages += all ? batch.size() : 0;
                failed += all ? 0 : 1;
            } catch (RuntimeException e) {
                failed++;
            }
            longest = Math.max(longest, System.nanoTime() - begun);
        }
        return new Report(messages, failed, longest, System.nanoTime() - began);
    }

    private static List<Message> batch(TimeOrderedIds ids, Random random) {
        List<Message> batch = new ArrayList<>(BATCH);
        for (int i = 0; i < BATCH; i++) {
            String id = i % 2 == 0 ? ids.next() : "order-" + Long.toUnsignedString(random.nextLong());
            batch.add(
                    Message.builder("bench").id(id).type(TYPE).payload(PAYLOAD).build());
        }
        return batch;
    }

    /** Ends it. */
    Report end() throws Exception {
        ended.set(true);
        Report sum = new Report(0, 0, 0, 1);
        for (Future<Report> one : running) {
            sum = sum.plus(one.get());
        }
        return sum;
    }

    @Override
    public void close() {
        ended.set(true);
        threads.shutdownNow();
    }
}
