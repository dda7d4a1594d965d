package io.pigeonhole.sqs;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.sqs.SqsClient;

/**
 * Publishes messages to an SQS queue, up to ten in a request, several requests at a time. {@code docs/sqs.md} has the mapping, which is
 * that of {@link SqsSource}. On a FIFO queue the ordering key is the message group, a message without one has a group of its own, and the
 * id is the deduplication id.
 *
 * <p>What SQS has no form for, such as an empty payload or more than ten attributes, is refused, and so is what SQS refuses for the
 * message itself. Where SQS is away, throttles, or refuses the right to send, messages are unavailable. Requests that are not answered in
 * time, or whose thread is interrupted, are given up, with their retries.
 *
 * <p>Safe for use by many threads. If the process dies, what was not confirmed may be in the queue or not.
 */
public final class SqsPublisher implements Publisher, AutoCloseable {
    private static final long IDLE_SECONDS = 10;

    private final SqsClient client;
    private final QueueUrl url;
    private final EntryMaker entries;
    private final ExecutorService threads;

    SqsPublisher(SqsClient client, QueueUrl url, EntryMaker entries, int requests) {
        this.client = client;
        this.url = url;
        this.entries = entries;
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                requests, requests, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "pigeonhole-sqs-publisher");
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        this.threads = pool;
    }

    /**
     * A publisher with the standard settings.
     *
     * @param client any client of the SDK; used from several threads, and not closed by the publisher
     * @param queue the queue's name, or its URL
     * @return a publisher that has not connected yet, to be closed by the caller behind the node
     * @throws ConfigurationException if the queue's name cannot be one
     */
    public static SqsPublisher of(SqsClient client, String queue) {
        return builder(client, queue).build();
    }

    /**
     * Begins a publisher.
     *
     * @param client a client of the SDK, as of {@link #of}
     * @param queue the queue's name, or its URL
     * @return a builder with the standard settings
     */
    public static SqsPublisherBuilder builder(SqsClient client, String queue) {
        return new SqsPublisherBuilder(client, queue);
    }

    @Override
    public String name() {
        return "SQS queue " + entries.queue();
    }

    @Override
    public List<Publication> publish(List<Message> messages, Duration timeout) {
        long until = System.nanoTime() + timeout.toNanos();
        Map<Integer, Publication> outcomes = new HashMap<>();
        Map<Integer, EntryMaker.Entry> sendable = new LinkedHashMap<>();
        for (int i = 0; i < messages.size(); i++) {
            try {
                sendable.put(i, entries.entry(messages.get(i)));
            } catch (RuntimeException e) {
                // What SQS has no form for, or a defect.
                outcomes.put(i, new Publication.Refused(e));
            }
        }
        Map<SendRequest, Future<Map<Integer, Publication>>> sent = new LinkedHashMap<>();
        for (SendRequest request : SendRequest.of(sendable)) {
            try {
                sent.put(request, threads.submit(() -> request.send(client, url, until)));
            } catch (RejectedExecutionException e) {
                outcomes.putAll(request.all(new Publication.Unavailable(
                        new IllegalStateException("the publisher is closed; make another one", e))));
            }
        }
        sent.forEach((request, answer) -> outcomes.putAll(await(request, answer, until)));
        return IntStream.range(0, messages.size())
                .mapToObj(i -> Objects.requireNonNull(outcomes.get(i)))
                .toList();
    }

    private static Map<Integer, Publication> await(
            SendRequest request, Future<Map<Integer, Publication>> answer, long until) {
        try {
            return answer.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            return request.all(new Publication.Unavailable(e.getCause() == null ? e : e.getCause()));
        } catch (TimeoutException e) {
            answer.cancel(true);
            return request.all(new Publication.Unavailable(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            answer.cancel(true);
            return request.all(new Publication.Unavailable(e));
        }
    }

    /** Gives up what is being published, which is unavailable then, and so is what anybody wants to publish later. */
    @Override
    public void close() {
        threads.shutdownNow().forEach(task -> ((Future<?>) task).cancel(false));
    }
}
