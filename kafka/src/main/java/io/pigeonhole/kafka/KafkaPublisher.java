package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;

/**
 * Publishes messages to a topic of Kafka, and waits for the confirmation of each. The producer is idempotent and asks for the
 * confirmation of all in-sync replicas. A message's key is the record's key, a tombstone is a record without a value; {@code
 * docs/kafka.md} has the whole mapping, which is that of {@link KafkaSource}.
 *
 * <p>A message that is too large, that the broker finds invalid, or that a partitioner fails for, is refused. Everything else, such as a
 * topic that does not exist or a missing right, is for all messages, and unavailable. Where messages are not confirmed in time, or the thread is interrupted, the
 * producer is closed, so that it does not send them later; what other threads have under way in it is unavailable then, too.
 *
 * <p>Safe for use by many threads, which share one producer. If the process dies, what was not confirmed may be in the topic or not.
 */
public final class KafkaPublisher implements Publisher, AutoCloseable {
    private final String name;
    private final RecordMaker records;
    private final SharedProducer producers;
    private final ScheduledThreadPoolExecutor watch;

    KafkaPublisher(String name, RecordMaker records, SharedProducer producers) {
        this.name = name;
        this.records = records;
        this.producers = producers;
        this.watch = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = Executors.defaultThreadFactory().newThread(task);
            thread.setName("pigeonhole-kafka-publisher-watch");
            thread.setDaemon(true);
            return thread;
        });
        watch.setRemoveOnCancelPolicy(true);
    }

    /**
     * A publisher with the standard settings.
     *
     * @param producerConfig the settings of the producer, {@code bootstrap.servers} at least; copied
     * @param topic where the messages go
     * @return a publisher that has not connected yet, to be closed by the caller behind the node
     * @throws ConfigurationException if settings are wrong or contradict what publishing depends on
     */
    public static KafkaPublisher of(Map<String, Object> producerConfig, String topic) {
        return builder(producerConfig, topic).build();
    }

    /**
     * Begins a publisher.
     *
     * @param producerConfig the settings of the producer, {@code bootstrap.servers} at least
     * @param topic where the messages go
     * @return a builder with the standard settings
     */
    public static KafkaPublisherBuilder builder(Map<String, Object> producerConfig, String topic) {
        return new KafkaPublisherBuilder(producerConfig, topic);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Publication> publish(List<Message> messages, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            Producer<byte[], byte[]> producer = producers.get(timeout.toNanos());
            ProducerCall call = run(producer, messages, end);
            if (!call.leavesProducerUsable()) {
                producers.discard(producer);
            }
            return call.outcomes();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unavailable(messages, e);
        } catch (RuntimeException e) {
            // There is no producer, or the publisher is being closed.
            return unavailable(messages, e);
        }
    }

    /** The client may wait for metadata or for memory longer than there is time; its closing ends that. */
    private ProducerCall run(Producer<byte[], byte[]> producer, List<Message> messages, long end) {
        ProducerCall call = new ProducerCall(
                producer, messages.stream().map(records::record).toList(), end);
        Future<?> closing = watch.schedule(
                () -> producers.discard(producer), Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        try {
            return call.run();
        } finally {
            closing.cancel(false);
        }
    }

    private static List<Publication> unavailable(List<Message> messages, Exception cause) {
        return Collections.nCopies(messages.size(), new Publication.Unavailable(cause));
    }

    /** Closes the producer at once. What is being published is unavailable, and so is what anybody wants to publish later. */
    @Override
    public void close() {
        producers.close();
        watch.shutdownNow();
    }
}
