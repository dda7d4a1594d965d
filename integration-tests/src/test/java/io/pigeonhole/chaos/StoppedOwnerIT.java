package io.pigeonhole.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.jdbc.OnEveryServer;
import io.pigeonhole.jdbc.PostgresServer;
import io.pigeonhole.jdbc.Workshop;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is stopped while it has a partition and a transaction in the middle of a batch. The group gives the partition to
 * another one, which finishes it. Then the process goes on, and believes that nothing has happened.
 */
@OnEveryServer
@Tag("full")
class StoppedOwnerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String TOPIC = "watched";
    private static final int MESSAGES = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final PostgresServer server;
    private final Workshop database;
    private @Nullable ChildJvm stopped;
    private @Nullable EmbeddedKafka kafka;

    StoppedOwnerIT(PostgresServer server) {
        this.server = server;
        this.database = server.schema();
    }

    @AfterEach
    void close() throws InterruptedException {
        if (stopped != null) {
            stopped.kill();
        }
        if (kafka != null) {
            kafka.close();
        }
        database.close();
    }

    private static void send(EmbeddedKafka kafka) throws Exception {
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < MESSAGES; i++) {
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC, ("m" + i).getBytes(UTF_8));
                record.headers().add("message-type", "test".getBytes(UTF_8));
                producer.send(record).get(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    @SuppressWarnings("try") // The node works by itself until it is closed.
    void ownerThatWakesUpAfterARebalanceCannotMoveTheWatermark() throws Exception {
        EmbeddedKafka broker = EmbeddedKafka.start(directory.resolve("kafka"));
        kafka = broker;
        broker.createTopic(TOPIC, 1);
        send(broker);
        Path output = Path.of(System.getProperty("pigeonhole.target", "target"))
                .resolve("chaos")
                .resolve("stopped-owner-on-" + server.name().replace(' ', '-') + ".out");
        ChildJvm process =
                ChildJvm.start(StoppedOwner.class, output, List.of(database.url(), broker.bootstrapServers(), TOPIC));
        stopped = process;
        await().atMost(PATIENCE).until(() -> process.output().contains("in the handler") || !process.isAlive());
        assertThat(process.isAlive()).as(process.output()).isTrue();
        process.signal("STOP");
        InboxListener quiet = new InboxListener() {};
        try (Node other =
                StoppedOwner.node(database.dataSource(), broker.bootstrapServers(), TOPIC, "other", () -> {}, quiet)) {
            await().atMost(PATIENCE).until(() -> effects().size() == MESSAGES);
            assertThat(effects()).containsExactlyElementsOf(expected());

            process.say("go on");
            process.signal("CONT");
            await().atMost(PATIENCE).until(() -> process.output().contains("rolled back") || !process.isAlive());
            assertThat(process.output()).contains("goes on").doesNotContain("PROCESSED", "PARKED", "DEAD");
        }
        assertThat(effects()).containsExactlyElementsOf(expected());
        assertThat(database.ask("SELECT position FROM inbox_watermark")).isEqualTo("" + MESSAGES);
        assertThat(database.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("0");
    }

    private List<String> effects() {
        return database.askAll("SELECT text FROM effect ORDER BY at");
    }

    private static List<String> expected() {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            expected.add("m" + i + " by other");
        }
        return expected;
    }
}
