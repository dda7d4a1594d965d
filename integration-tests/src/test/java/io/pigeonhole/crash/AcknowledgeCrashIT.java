package io.pigeonhole.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A Kafka consumer dies just before or just after its offsets are committed: while it runs, and while it closes. */
@Tag("full")
class AcknowledgeCrashIT {
    private static final int PARTITIONS = 2;
    private static final List<String> IDS =
            IntStream.range(0, 200).mapToObj(i -> "payment " + i).toList();
    private static final Duration OFTEN = Duration.ofMillis(20);
    private static final Duration ONLY_WHEN_CLOSED = Duration.ofHours(1);

    private static Database database;
    private static EmbeddedKafka kafka;
    private static Admin admin;

    record Death(CrashPoint point, int passage, Duration commitInterval) {
        String run() {
            return (point + "-" + passage + "-" + commitInterval).toLowerCase(Locale.ROOT);
        }
    }

    static Stream<Death> deaths() {
        return Stream.of(CrashPoint.BEFORE_ACKNOWLEDGE, CrashPoint.AFTER_ACKNOWLEDGE)
                .flatMap(point -> Stream.of(
                        new Death(point, 1, OFTEN), new Death(point, 2, OFTEN), new Death(point, 1, ONLY_WHEN_CLOSED)))
                .filter(death -> DatabaseServer.isFull() || death.passage() == 1);
    }

    @BeforeAll
    static void startServers(@TempDir Path directory) {
        database = Database.onPostgres();
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
        admin = kafka.admin();
    }

    @AfterAll
    static void stopServers() {
        kafka.close();
        database.close();
        admin.close(Duration.ZERO);
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void everyPaymentTakesEffectOnceWhenAConsumerDiesAt(Death death) throws Exception {
        String run = death.run();
        kafka.createTopic(run, PARTITIONS);
        int firstHalf = IDS.size() / 2;
        send(run, IDS.subList(0, firstHalf));
        ChildJvm child = ChildJvm.start(
                DyingConsumer.class,
                Database.directory().resolve("acknowledge").resolve(run + ".log"),
                List.of(
                        database.url(),
                        kafka.bootstrapServers(),
                        run,
                        // More than there are keeps it running until it has acknowledged once more.
                        String.valueOf(death.passage() > 1 ? firstHalf + 1 : firstHalf),
                        String.valueOf(death.commitInterval().toMillis()),
                        death.point().name(),
                        String.valueOf(death.passage())));
        if (death.passage() > 1) {
            // There must be something left to acknowledge after the first time.
            await().atMost(Duration.ofSeconds(40)).until(() -> committed(run) > 0);
            send(run, IDS.subList(0, firstHalf));
        }
        assertThat(child.exitCode()).as(child.output()).isEqualTo(CrashPlan.HALTED);
        send(run, IDS);

        JdbcStore store = JdbcStore.create(database.dataSource());
        DyingConsumer.consume(
                store,
                kafka.bootstrapServers(),
                run,
                OFTEN,
                CrashPlan.none(),
                () -> await().atMost(Duration.ofSeconds(40)).until(() -> committed(run) == end(run)));

        EffectsChecker.expecting(IDS)
                .effects(database.effects(run))
                .parked(database.parked(run))
                .dead(database.dead(run))
                .check()
                .assertExactlyOnce();
    }

    private static void send(String topic, List<String> ids) throws ExecutionException, InterruptedException {
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (String id : ids) {
                var record = new ProducerRecord<>(topic, id, id);
                record.headers().add("message-id", id.getBytes(UTF_8)).add("message-type", "payment".getBytes(UTF_8));
                sent.add(producer.send(record));
            }
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
        }
    }

    private static long committed(String group) throws ExecutionException, InterruptedException {
        return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().values().stream()
                .mapToLong(position -> position.offset())
                .sum();
    }

    private static long end(String topic) throws ExecutionException, InterruptedException {
        long sum = 0;
        for (int i = 0; i < PARTITIONS; i++) {
            TopicPartition partition = new TopicPartition(topic, i);
            sum += admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        }
        return sum;
    }
}
