package io.pigeonhole.benchmarks.floor;

import io.pigeonhole.core.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The poll loop that one writes by hand: as many members of a group as there are partitions, each with a transaction for
 * what it polled, and the offsets committed behind it.
 */
final class HandWrittenConsumer implements KafkaVariant.Consumer {
    private static final Duration POLL = Duration.ofMillis(100);

    private final MessageSink sink;
    private final Function<ConsumerRecord<byte[], byte[]>, Message> reader;
    private final String bootstrapServers;
    private final String topic;

    private HandWrittenConsumer(
            MessageSink sink,
            Function<ConsumerRecord<byte[], byte[]>, Message> reader,
            String bootstrapServers,
            String topic) {
        this.sink = sink;
        this.reader = reader;
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
    }

    /** Without an inbox. */
    static HandWrittenConsumer bare(DataSource dataSource, String bootstrapServers, String topic) {
        return new HandWrittenConsumer(
                new AtLeastOnceDeferred(dataSource), HandWrittenConsumer::payload, bootstrapServers, topic);
    }

    /** With an inbox written by hand too, which needs the ids of the messages. */
    static HandWrittenConsumer withInbox(DataSource dataSource, String bootstrapServers, String topic) {
        return new HandWrittenConsumer(
                new HandWrittenInbox(dataSource), HandWrittenConsumer::payloadAndId, bootstrapServers, topic);
    }

    @Override
    public void consume(String group, Tally tally) throws Exception {
        ExecutorService members = Executors.newFixedThreadPool(KafkaSuite.SHAPE.threads());
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < KafkaSuite.SHAPE.threads(); i++) {
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

    private void consumeAsMember(String group, Tally tally) throws Exception {
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
                    sink.accept(messages(records));
                    tally.done(records.count());
                    consumer.commitAsync();
                }
            }
        }
    }

    private List<Message> messages(ConsumerRecords<byte[], byte[]> records) {
        List<Message> messages = new ArrayList<>(records.count());
        for (ConsumerRecord<byte[], byte[]> consumed : records) {
            messages.add(reader.apply(consumed));
        }
        return messages;
    }

    private static Message payload(ConsumerRecord<byte[], byte[]> consumed) {
        return Message.builder(consumed.topic()).payload(consumed.value()).build();
    }

    private static Message payloadAndId(ConsumerRecord<byte[], byte[]> consumed) {
        byte[] id = consumed.headers().lastHeader(KafkaSuite.ID_HEADER).value();
        return Message.builder(consumed.topic())
                .id(new String(id, StandardCharsets.UTF_8))
                .payload(consumed.value())
                .build();
    }
}
