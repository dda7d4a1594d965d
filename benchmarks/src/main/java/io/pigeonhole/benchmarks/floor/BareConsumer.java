package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What one writes who needs no inbox: as many members of a group as there are partitions, each with a transaction for what
 * it polled, and the offsets committed behind it.
 */
final class BareConsumer implements KafkaVariant.Consumer {
    private static final Duration POLL = Duration.ofMillis(100);

    private final AtLeastOnceDeferred business;
    private final String bootstrapServers;
    private final String topic;

    BareConsumer(DataSource dataSource, String bootstrapServers, String topic) {
        this.business = new AtLeastOnceDeferred(dataSource);
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
    }

    @Override
    public void consume(String group, Tally tally) throws Exception {
        ExecutorService members = Executors.newFixedThreadPool(Workload.LANES);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < Workload.LANES; i++) {
                all.add(members.submit(() -> {
                    consumeAsMember(group, tally);
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            members.shutdownNow();
        }
    }

    private void consumeAsMember(String group, Tally tally) throws SQLException {
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.GROUP_ID_CONFIG,
                group,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false);
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
            consumer.subscribe(List.of(topic));
            while (!tally.isFull()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                if (!records.isEmpty()) {
                    tally.begun();
                    business.accept(messages(records));
                    tally.done(records.count());
                    consumer.commitAsync();
                }
            }
        }
    }

    private static List<Message> messages(ConsumerRecords<byte[], byte[]> records) {
        List<Message> messages = new ArrayList<>(records.count());
        for (ConsumerRecord<byte[], byte[]> consumed : records) {
            messages.add(
                    Message.builder(consumed.topic()).payload(consumed.value()).build());
        }
        return messages;
    }
}
