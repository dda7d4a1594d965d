package io.pigeonhole.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Writes down every record that Kafka hands to the consumer, before anything else sees it. Kafka makes it from the
 * consumer's configuration, so that the consumer itself needs no counting.
 */
public final class DeliveryTap implements ConsumerInterceptor<Object, Object> {
    /** The setting that names the file. */
    public static final String FILE = "demo.deliveries";

    private @Nullable DeliveryLog log;

    /** For Kafka. */
    public DeliveryTap() {}

    @Override
    public void configure(Map<String, ?> configuration) {
        log = DeliveryLog.append(Path.of(String.valueOf(configuration.get(FILE))));
    }

    @Override
    public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
        StringBuilder lines = new StringBuilder();
        for (ConsumerRecord<Object, Object> record : records) {
            Header id = record.headers().lastHeader(KafkaBroker.ID_HEADER);
            lines.append(id == null ? "-" : new String(id.value(), StandardCharsets.UTF_8))
                    .append('\n');
        }
        if (log != null && !lines.isEmpty()) {
            log.write(lines.toString());
        }
        return records;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void close() {
        if (log != null) {
            try {
                log.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
