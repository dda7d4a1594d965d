package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.network.ProxiedBroker;
import io.pigeonhole.testkit.contract.BrokerFixture;
import io.pigeonhole.testkit.contract.BrokerQueue;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** A Kafka inside this JVM for the contract of sources; sources come through a proxy, producers do not. */
public final class KafkaBroker extends ProxiedBroker {
    private static final int PARTITIONS = 3;
    private static final AtomicInteger QUEUES = new AtomicInteger();

    private final Path directory;
    private EmbeddedKafka kafka;
    private @Nullable Queue queue;
    private Deduplication deduplication = Deduplication.IDS;

    private KafkaBroker(Path directory) {
        super(0); // It has no port yet.
        this.directory = directory;
        this.kafka = EmbeddedKafka.startBehind(directory, proxy.port());
        proxy.server(kafka.proxiedPort());
    }

    /** For all tests of a class; its data stay in the directory. */
    public static KafkaBroker start(Path directory) {
        return new KafkaBroker(directory);
    }

    /** What publishers connect to. */
    String proxied() {
        return "127.0.0.1:" + proxy.port();
    }

    /** For one test: its queues go, the broker stays. */
    public BrokerFixture forOneTest() {
        proxy.thaw();
        return this;
    }

    /** The same for inboxes that do not deduplicate by ids only. */
    BrokerFixture forOneTest(Deduplication by) {
        deduplication = by;
        return forOneTest();
    }

    @Override
    public Set<Ability> abilities() {
        return switch (deduplication) {
            case IDS -> EnumSet.allOf(Ability.class);
            case HYBRID -> EnumSet.complementOf(EnumSet.of(Ability.NO_ID));
            case WATERMARKS -> EnumSet.complementOf(EnumSet.of(Ability.NO_ID, Ability.DUPLICATES_OF_PRODUCERS));
        };
    }

    @Override
    public Deduplication deduplication() {
        return deduplication;
    }

    @Override
    public BrokerQueue queue() {
        Queue made = new Queue(KafkaTopic.create(kafka, "contract-" + QUEUES.incrementAndGet(), PARTITIONS));
        queue = made;
        return made;
    }

    @Override
    public void restart() {
        kafka.close();
        proxy.cut();
        kafka = EmbeddedKafka.startBehind(directory, proxy.port());
        proxy.server(kafka.proxiedPort());
        if (queue != null) {
            queue.connectAnew();
        }
    }

    @Override
    public void close() {
        proxy.thaw();
        if (queue != null) {
            queue.topic.close();
        }
    }

    /** At the end of a class. */
    public void stop() {
        proxy.close();
        kafka.close();
    }

    private final class Queue implements BrokerQueue {
        private volatile KafkaTopic topic;

        Queue(KafkaTopic topic) {
            this.topic = topic;
        }

        /** A broker that was restarted listens elsewhere. */
        void connectAnew() {
            KafkaTopic before = topic;
            topic = KafkaTopic.of(kafka, before.name(), PARTITIONS, Map.of());
            before.close();
        }

        @Override
        public String name() {
            return topic.name();
        }

        @Override
        public void send(List<Message> messages) {
            List<Future<RecordMetadata>> sent = messages.stream()
                    .map(message -> topic.producer().send(record(message)))
                    .toList();
            sent.forEach(KafkaTopic::get);
        }

        private ProducerRecord<byte[], byte[]> record(Message message) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    topic.name(), message.orderingKey(), message.isTombstone() ? null : message.payload());
            MessageId id = message.id();
            if (id != null) {
                record.headers().add("message-id", id.toBytes());
            }
            addText(record, "message-type", message.type());
            addText(record, "content-type", message.contentType());
            for (Header header : message.headers()) {
                record.headers().add(header.name(), header.value());
            }
            return record;
        }

        private static void addText(ProducerRecord<byte[], byte[]> record, String name, @Nullable String text) {
            if (text != null) {
                record.headers().add(name, text.getBytes(UTF_8));
            }
        }

        @Override
        public Source source(Inbox<?> inbox) {
            return KafkaSource.of(
                    inbox,
                    Map.of(
                            "bootstrap.servers",
                            proxied(),
                            "auto.offset.reset",
                            "earliest",
                            "reconnect.backoff.max.ms",
                            200,
                            "request.timeout.ms",
                            8_000,
                            "session.timeout.ms",
                            6_000,
                            "heartbeat.interval.ms",
                            500),
                    topic.name());
        }

        @Override
        public long left(String consumer) {
            Map<Integer, Long> committed = topic.committed(consumer);
            return topic.ends().entrySet().stream()
                    .mapToLong(end -> end.getValue() - committed.getOrDefault(end.getKey(), 0L))
                    .sum();
        }
    }
}
