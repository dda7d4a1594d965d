package io.pigeonhole.examples.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.jackson.JsonPayload;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consumer as it is usually written by hand: poll, write the records of each partition to the database in a transaction,
 * then commit the offsets; what fails is logged and skipped. Nothing is wrong with any of its lines, and yet money multiplies: whatever the
 * producers send twice is paid twice, and so is what was committed to the database before a kill and not yet to Kafka.
 */
public final class PlainConsumer {
    private static final Logger log = LoggerFactory.getLogger(PlainConsumer.class);
    private static final Duration POLL = Duration.ofMillis(200);

    private final PayloadDecoder<Payment> json = JsonPayload.json(Payment.class);

    private PlainConsumer() {}

    /**
     * Consumes until the standard input ends.
     *
     * @param arguments see {@link ConsumerSettings}
     * @throws SQLException if the database fails: the process ends, its successor reads the same records again
     */
    public static void main(String[] arguments) throws SQLException {
        ParentWatch parent = ParentWatch.start();
        ConsumerSettings settings = ConsumerSettings.of(arguments);
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(settings.databaseUrl());
        pool.setMaximumPoolSize(1);
        Map<String, Object> kafka = new HashMap<>(KafkaBroker.consumerConfig(settings));
        kafka.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        try (HikariDataSource database = new HikariDataSource(pool);
                Consumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(kafka, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(ConsumerSettings.QUEUE));
            PlainConsumer plain = new PlainConsumer();
            while (!parent.isOver()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                for (TopicPartition partition : records.partitions()) {
                    plain.payAll(records.records(partition), database);
                }
                consumer.commitSync();
            }
        }
    }

    private void payAll(List<ConsumerRecord<byte[], byte[]>> records, HikariDataSource database) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            for (ConsumerRecord<byte[], byte[]> record : records) {
                try {
                    pay(record, connection);
                } catch (SQLException e) {
                    throw e;
                } catch (Exception e) {
                    // Nothing of it was written by then.
                    log.error("skipping offset {} of {}: {}", record.offset(), record.topic(), e.getMessage());
                }
            }
            connection.commit();
        }
    }

    private void pay(ConsumerRecord<byte[], byte[]> record, Connection connection) throws Exception {
        Payment payment = json.decode(
                Message.builder(record.topic()).payload(record.value()).build());
        if (payment.amount() <= 0) {
            throw new IllegalArgumentException("a payment of " + payment.amount() + " cents");
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?")) {
            update.setLong(1, payment.amount());
            update.setLong(2, payment.account());
            if (update.executeUpdate() != 1) {
                throw new IllegalArgumentException("no account " + payment.account());
            }
        }
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO effect (message_id, account, amount) VALUES (?, ?, ?)")) {
            insert.setString(1, id(record));
            insert.setLong(2, payment.account());
            insert.setLong(3, payment.amount());
            insert.executeUpdate();
        }
    }

    private static String id(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.headers().lastHeader(KafkaBroker.ID_HEADER).value(), StandardCharsets.UTF_8);
    }
}
