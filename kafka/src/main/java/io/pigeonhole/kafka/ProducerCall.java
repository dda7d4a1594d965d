package io.pigeonhole.kafka;

import io.pigeonhole.core.relay.Publication;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the records of one call, and collects what became of them until the time is over or the thread is interrupted. Used by one
 * thread, once.
 */
final class ProducerCall {
    private final Producer<byte[], byte[]> producer;
    private final List<ProducerRecord<byte[], byte[]>> records;
    private final long end;
    private final List<@Nullable Throwable> failures;
    private final List<@Nullable Future<?>> sent;
    private @Nullable Throwable stopped;

    /**
     * Prepares a call.
     *
     * @param end of {@link System#nanoTime}
     */
    ProducerCall(Producer<byte[], byte[]> producer, List<ProducerRecord<byte[], byte[]>> records, long end) {
        this.producer = producer;
        this.records = records;
        this.end = end;
        this.failures = new ArrayList<>(Collections.nCopies(records.size(), null));
        this.sent = new ArrayList<>(Collections.nCopies(records.size(), null));
    }

    ProducerCall run() {
        for (int i = 0; i < records.size() && stopped == null; i++) {
            send(i);
        }
        for (int i = 0; i < records.size(); i++) {
            collect(i);
        }
        sendAloneWhatSharedABatch();
        return this;
    }

    /** A record that is known to have failed already, but through no fault of its own, ends the sending: the others would too. */
    private void send(int index) {
        try {
            Future<?> future = producer.send(records.get(index));
            sent.set(index, future);
            if (future.isDone()) {
                Throwable failure = failureOf(future, 0);
                if (failure != null && !SendFailures.isOfTheRecord(failure)) {
                    stopped = failure;
                }
            }
        } catch (InterruptException e) {
            stopped = interruption();
        } catch (Throwable e) {
            if (!SendFailures.isOfTheClient(e)) {
                sent.set(index, CompletableFuture.failedFuture(new CodeOfTheProducerException(e)));
                return;
            }
            // Over the time, the client says only that it is being closed.
            stopped = System.nanoTime() - end < 0 ? e : timeout(e);
        }
    }

    private void collect(int index) {
        Future<?> future = sent.get(index);
        if (future == null) {
            failures.set(index, stopped);
            return;
        }
        // Behind an interrupt there is no more waiting, but what is confirmed is confirmed.
        long left = Thread.currentThread().isInterrupted() ? 0 : Math.max(0, end - System.nanoTime());
        failures.set(index, failureOf(future, left));
    }

    /** What a record was not confirmed with; null where it was. */
    private @Nullable Throwable failureOf(Future<?> future, long nanos) {
        try {
            if (future.isDone() && Thread.currentThread().isInterrupted()) {
                return failureOfDone(future);
            }
            future.get(nanos, TimeUnit.NANOSECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause() == null ? e : e.getCause();
        } catch (TimeoutException e) {
            return Thread.currentThread().isInterrupted() ? interruption() : timeout(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return interruption();
        }
    }

    /** An interrupted thread gets no answer of a future, so that it has to forget the interrupt for as long as it asks. */
    private @Nullable Throwable failureOfDone(Future<?> future) {
        Thread.interrupted();
        try {
            return failureOf(future, 0);
        } finally {
            Thread.currentThread().interrupt();
        }
    }

    private static Throwable timeout(@Nullable Throwable cause) {
        return new TimeoutException("not confirmed within the time for publishing").initCause(cause);
    }

    private static Throwable interruption() {
        return new InterruptedException("interrupted while messages were published");
    }

    /**
     * The broker refuses a batch as a whole, and says which records are to blame; to the others the client gives an error that says
     * nothing. They are sent once more, one by one.
     */
    private void sendAloneWhatSharedABatch() {
        if (failures.stream().noneMatch(failure -> failure != null && SendFailures.isOfTheRecord(failure))) {
            return;
        }
        for (int i = 0; i < records.size() && stopped == null; i++) {
            Throwable failure = failures.get(i);
            if (failure != null && SendFailures.mayBeOfTheBatch(failure)) {
                send(i);
                collect(i);
            }
        }
    }

    /** Whether the producer is through with all of it, and may be used further. */
    boolean leavesProducerUsable() {
        for (int i = 0; i < records.size(); i++) {
            Future<?> future = sent.get(i);
            Throwable failure = failures.get(i);
            if ((future != null && !future.isDone())
                    || (failure != null && !SendFailures.leavesProducerUsable(failure))) {
                return false;
            }
        }
        return stopped == null || SendFailures.leavesProducerUsable(stopped);
    }

    List<Publication> outcomes() {
        return failures.stream().map(ProducerCall::outcome).toList();
    }

    private static Publication outcome(@Nullable Throwable failure) {
        if (failure == null) {
            return Publication.CONFIRMED;
        }
        return SendFailures.isOfTheRecord(failure)
                ? new Publication.Refused(failure)
                : new Publication.Unavailable(failure);
    }
}
