package io.pigeonhole.peers.outbox;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that commit events, each those of keys of its own and in the order of their numbers.
 *
 * @param threads how many; 1,000 can be divided by it
 * @param perTransaction how many events a transaction appends
 */
record Writers(int threads, int perTransaction) {
    private static final long STEP_NANOS = 100_000;

    /** When a thread may begin its transaction. */
    interface Gate {
        /**
         * Waits.
         *
         * @param transaction the number of the thread's transaction, from 0 on
         */
        void await(int transaction);
    }

    /** Commits the events from one number to another, and answers how many nanoseconds that took. */
    long commit(RelayPath.Running running, Flights flights, int from, int to, Gate gate) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            long began = System.nanoTime();
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < threads; writer++) {
                writers.add(executor.submit(writer(running, flights, from + writer, to, gate)));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
            return System.nanoTime() - began;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            executor.shutdownNow();
        }
    }

    private Callable<Void> writer(RelayPath.Running running, Flights flights, int first, int to, Gate gate) {
        return () -> {
            int transaction = 0;
            int number = first;
            while (number < to) {
                List<Event> events = new ArrayList<>(perTransaction);
                for (; number < to && events.size() < perTransaction; number += threads) {
                    events.add(new Event(number));
                }
                gate.await(transaction++);
                running.commit(events, () -> flights.committing(events));
            }
            return null;
        };
    }

    /** As soon as fewer than so many events are unconfirmed. */
    static Gate fewerThan(int most, Flights flights) {
        return transaction -> {
            while (flights.unconfirmed() >= most) {
                LockSupport.parkNanos(STEP_NANOS);
            }
        };
    }

    /** At a rate of all threads together, whatever becomes of the events. */
    Gate at(double eventsPerSecond) {
        long began = System.nanoTime();
        double nanosPerTransaction = 1e9 * perTransaction * threads / eventsPerSecond;
        return transaction -> {
            long due = began + (long) (nanosPerTransaction * transaction);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        };
    }
}
