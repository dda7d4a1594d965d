package io.pigeonhole.examples.demo;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.kafka.KafkaSource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Kafka, with a topic of several partitions. */
final class KafkaBroker implements Broker {
    static final String ID_HEADER = "message-id";
    static final String TYPE_HEADER = "message-type";

    private static final int PARTITIONS = 6;

    private final EmbeddedKafka kafka;
    private final GroupLag lag;

    private KafkaBroker(EmbeddedKafka kafka) {
        this.kafka = kafka;
        this.lag = new GroupLag(kafka.admin(), ConsumerSettings.QUEUE, PARTITIONS, ConsumerSettings.CONSUMER);
    }

    static KafkaBroker start(Path directory) {
        EmbeddedKafka kafka = EmbeddedKafka.start(directory);
        kafka.createTopic(ConsumerSettings.QUEUE, PARTITIONS);
        return new KafkaBroker(kafka);
    }

    static Source source(Inbox<?> inbox, ConsumerSettings settings) {
        return KafkaSource.of(inbox, consumerConfig(settings), ConsumerSettings.QUEUE);
    }

    /** The settings that both consumers share. */
    static Map<String, Object> consumerConfig(ConsumerSettings settings) {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                settings.brokerAddress(),
                ConsumerConfig.GROUP_ID_CONFIG,
                ConsumerSettings.CONSUMER,
                // A name of its own: when it comes back after a kill it takes its partitions at once. Without, the
                // group would wait until the session of the dead one is over.
                ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                "demo-consumer",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
                DeliveryTap.class.getName(),
                DeliveryTap.FILE,
                settings.deliveries().toString());
    }

    @Override
    public String address() {
        return kafka.bootstrapServers();
    }

    @Override
    public PaymentSender sender(String name, Consumer<Exception> failed) {
        return new Sender(producer(name), failed);
    }

    private Producer<String, String> producer(String name) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka.bootstrapServers(),
                        ProducerConfig.CLIENT_ID_CONFIG,
                        name,
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.LINGER_MS_CONFIG,
                        2),
                new StringSerializer(),
                new StringSerializer());
    }

    @Override
    public long unacknowledged() throws InterruptedException {
        return lag.records();
    }

    @Override
    public void close() {
        lag.close();
        kafka.close();
    }

    private record Sender(Producer<String, String> producer, Consumer<Exception> failed) implements PaymentSender {
        @Override
        public void send(String id, @Nullable String orderingKey, String payload) {
            ProducerRecord<String, String> record = new ProducerRecord<>(ConsumerSettings.QUEUE, orderingKey, payload);
            record.headers().add(ID_HEADER, id.getBytes(StandardCharsets.UTF_8));
            record.headers().add(TYPE_HEADER, PaymentProducer.TYPE.getBytes(StandardCharsets.UTF_8));
            Future<RecordMetadata> unused = producer.send(record, (metadata, exception) -> {
                if (exception != null) {
                    failed.accept(exception);
                }
            });
        }

        @Override
        public void flush() {
            producer.flush();
        }

        @Override
        public void close() {
            producer.close();
        }
    }
}
