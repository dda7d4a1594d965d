package io.pigeonhole.peers.outbox;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** A plain producer with all defaults but no lingering, idempotent as it is by default. Safe for use by many threads. */
final class KafkaSender implements AutoCloseable {
    private final KafkaProducer<String, String> producer;
    private final String topic;
    private final Flights flights;

    KafkaSender(String bootstrapServers, String topic, Flights flights) {
        StringSerializer strings = new StringSerializer();
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrapServers,
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        ProducerConfig.ACKS_CONFIG,
                        "all"),
                strings,
                strings);
        this.topic = topic;
        this.flights = flights;
    }

    /** Sends without waiting. */
    Future<RecordMetadata> send(String key, String payload) {
        ProducerRecord<String, String> produced = new ProducerRecord<>(topic, key, payload);
        produced.headers().add("message-type", "balance.changed".getBytes(StandardCharsets.UTF_8));
        return producer.send(produced, (metadata, failure) -> {
            if (failure == null) {
                flights.confirmed(Event.numberOf(payload));
            }
        });
    }

    /** Sends and waits for the confirmation. */
    void sendAndWait(String key, String payload) {
        try {
            send(key, payload).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("not sent", e);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
