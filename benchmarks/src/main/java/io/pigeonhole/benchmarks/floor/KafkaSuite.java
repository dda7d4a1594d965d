package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.benchmarks.server.DatabaseServer;
import io.pigeonhole.benchmarks.suite.Ratio;
import io.pigeonhole.benchmarks.suite.Suite;
import io.pigeonhole.benchmarks.suite.Variant;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.kafka.KafkaSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Puts the suite "kafka" together: from a topic to the effects in the database, with an inbox and without. Each message is in
 * the topic once, so that all of them do the same work.
 */
final class KafkaSuite {
    /** As many partitions as threads. */
    static final WorkloadShape SHAPE = WorkloadShape.STANDARD.withoutDuplicates();

    /** Embedded brokers keep their topics from run to run. */
    private static final String TOPIC = "payments-" + SystemTime.clock().millis();

    /** The record header that has the message's id. */
    static final String ID_HEADER = "message-id";

    private static final List<Ratio> RATIOS = List.of(
            new Ratio("pigeonhole-ids", "bare-consumer", 0.9),
            new Ratio("pigeonhole-ids", "hand-ids", 0.95),
            new Ratio("hand-ids", "bare-consumer", 0),
            new Ratio("pigeonhole-watermark", "bare-consumer", 0.9));

    private final String bootstrapServers;
    private final JdbcStore store;

    private KafkaSuite(String bootstrapServers, JdbcStore store) {
        this.bootstrapServers = bootstrapServers;
        this.store = store;
    }

    /**
     * Creates the tables, and the topic with its messages.
     *
     * @param messages how many
     */
    static Suite create(DatabaseServer server, EmbeddedKafka broker, int messages) throws Exception {
        FloorStatements statements = FloorStatements.of(server.product());
        Bank bank = new Bank(server.dataSource(), statements);
        bank.create();
        Schema.apply(server.dataSource());
        JdbcStore store = JdbcStore.create(server.dataSource());
        KafkaSuite suite = new KafkaSuite(broker.bootstrapServers(), store);
        Workload workload = Workload.generate(messages, SHAPE, SystemTime.clock());
        broker.createTopic(TOPIC, SHAPE.threads());
        suite.produce(workload);
        DataSource dataSource = server.dataSource();
        HandWrittenConsumer bare = HandWrittenConsumer.bare(dataSource, suite.bootstrapServers, TOPIC);
        HandWrittenConsumer handWritten = HandWrittenConsumer.withInbox(dataSource, suite.bootstrapServers, TOPIC);
        List<Variant> variants = List.of(
                new KafkaVariant("bare-consumer", bare, workload, bank, server),
                new KafkaVariant("hand-ids", handWritten, workload, bank, server),
                new KafkaVariant("pigeonhole-ids", suite::ids, workload, bank, server),
                new KafkaVariant("pigeonhole-watermark", suite::watermark, workload, bank, server));
        return new Suite("kafka", variants, RATIOS);
    }

    private void produce(Workload workload) throws Exception {
        Map<String, Object> settings = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        ByteArraySerializer bytes = new ByteArraySerializer();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, bytes, bytes)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>(workload.deliveries());
            for (List<Message> partition : workload.partitions()) {
                for (Message message : partition) {
                    ProducerRecord<byte[], byte[]> produced = new ProducerRecord<>(
                            TOPIC, Objects.requireNonNull(message.orderingKey()), message.payload());
                    produced.headers()
                            .add(ID_HEADER, Objects.requireNonNull(message.id()).toBytes())
                            .add("message-type", Workload.TYPE.getBytes(StandardCharsets.UTF_8));
                    sent.add(producer.send(produced));
                }
            }
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
        }
    }

    private void ids(String group, Tally tally) throws Exception {
        consume(inbox(group, Deduplication.IDS, tally), group, tally);
    }

    private void watermark(String group, Tally tally) throws Exception {
        consume(inbox(group, Deduplication.WATERMARKS, tally), group, tally);
    }

    /**
     * Each run has a consumer of its own: to a known one its watermarks say that there is nothing new, and one that begins
     * at the same offsets again and again looks as if its process died there each time.
     */
    private Inbox<JdbcContext> inbox(String consumer, Deduplication deduplication, Tally tally) {
        return Inbox.builder(consumer, store)
                .deduplication(deduplication)
                .handle(Workload.TYPE, Payment::of, (payment, context) -> {
                    tally.begun();
                    ExactlyOnce.deferPayment(payment, context);
                })
                .listener(counting(tally))
                .build();
    }

    private void consume(Inbox<JdbcContext> inbox, String group, Tally tally) throws Exception {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.GROUP_ID_CONFIG,
                group,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest");
        Node node = Node.builder(store)
                .source(KafkaSource.of(inbox, settings, TOPIC))
                .start();
        try {
            tally.await();
        } finally {
            node.close();
        }
    }

    private static InboxListener counting(Tally tally) {
        return new InboxListener() {
            @Override
            public void onOutcome(String consumer, Message message, Outcome outcome) {
                if (outcome.kind() == Outcome.Kind.PROCESSED) {
                    tally.done(1);
                } else {
                    tally.spoiled(message + " is there once, yet the inbox said " + outcome);
                }
            }
        };
    }
}
