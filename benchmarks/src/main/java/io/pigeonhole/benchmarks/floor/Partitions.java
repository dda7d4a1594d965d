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

/** Works a workload off: each partition by one thread, in batches of one size. */
public final class Partitions {
    private final List<List<Message>> deliveries;
    private final int batchSize;
    private final int threads;

    /** Works the partitions of a workload off with so many threads. */
    public Partitions(Workload workload, int batchSize, int threads) {
        this(workload.partitions(), batchSize, threads);
    }

    Partitions(List<List<Message>> deliveries, int batchSize, int threads) {
        this.deliveries = deliveries;
        this.batchSize = batchSize;
        this.threads = threads;
    }

    /**
     * Hands everything to the sink.
     *
     * @return how long it took from the common start until the last partition was done, in nanoseconds
     */
    public long drainInto(MessageSink sink) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> partitions = new ArrayList<>();
            for (List<Message> partition : deliveries) {
                partitions.add(executor.submit(worker(partition, sink, start)));
            }
            long began = System.nanoTime();
            start.countDown();
            for (Future<?> partition : partitions) {
                partition.get();
            }
            return System.nanoTime() - began;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            executor.shutdownNow();
        }
    }

    private Callable<Void> worker(List<Message> partition, MessageSink sink, CountDownLatch start) {
        return () -> {
            start.await();
            for (int from = 0; from < partition.size(); from += batchSize) {
                sink.accept(partition.subList(from, Math.min(from + batchSize, partition.size())));
            }
            return null;
        };
    }
}
