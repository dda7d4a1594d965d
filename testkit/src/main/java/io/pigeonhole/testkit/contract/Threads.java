package io.pigeonhole.testkit.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** The threads of one test. */
final class Threads implements AutoCloseable {
    /** Longer than anything here takes; a test that waits so long has failed. */
    static final long LONGEST_SECONDS = 30;

    private final ExecutorService executor = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "contract");
        thread.setDaemon(true);
        return thread;
    });

    <R> Future<R> start(Callable<R> work) {
        return executor.submit(work);
    }

    /** Runs the same in several threads that begin at the same moment. */
    <R> List<R> together(int threads, IntFunction<R> work) throws InterruptedException {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        List<Future<R>> futures = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            futures.add(start(() -> {
                awaitOthers(barrier);
                return work.apply(number);
            }));
        }
        List<R> results = new ArrayList<>();
        for (Future<R> future : futures) {
            results.add(result(future));
        }
        return results;
    }

    private static void awaitOthers(CyclicBarrier barrier) throws InterruptedException {
        try {
            barrier.await(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (BrokenBarrierException | TimeoutException e) {
            throw new AssertionError("the threads did not begin together", e);
        }
    }

    static <R> R result(Future<R> future) throws InterruptedException {
        try {
            return future.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("a thread of the test failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("nothing for " + LONGEST_SECONDS + " s", e);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
