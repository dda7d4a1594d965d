package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Works a workload off: each lane by one thread, in batches of one size. */
public final class Lanes {
    private final List<List<Message>> deliveries;
    private final int batchSize;
    private final int threads;

    /** Works the lanes of a workload off with so many threads. */
    public Lanes(Workload workload, int batchSize, int threads) {
        this(workload.lanes(), batchSize, threads);
    }

    Lanes(List<List<Message>> deliveries, int batchSize, int threads) {
        this.deliveries = deliveries;
        this.batchSize = batchSize;
        this.threads = threads;
    }

    /**
     * Hands everything to the sink.
     *
     * @return how long it took from the common start until the last lane was done, in nanoseconds
     */
    public long drainInto(MessageSink sink) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> lanes = new ArrayList<>();
            for (List<Message> lane : deliveries) {
                lanes.add(executor.submit(worker(lane, sink, start)));
            }
            long began = System.nanoTime();
            start.countDown();
            for (Future<?> lane : lanes) {
                lane.get();
            }
            return System.nanoTime() - began;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            executor.shutdownNow();
        }
    }

    private Callable<Void> worker(List<Message> lane, MessageSink sink, CountDownLatch start) {
        return () -> {
            start.await();
            for (int from = 0; from < lane.size(); from += batchSize) {
                sink.accept(lane.subList(from, Math.min(from + batchSize, lane.size())));
            }
            return null;
        };
    }
}
