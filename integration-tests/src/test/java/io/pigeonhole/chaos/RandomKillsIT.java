package io.pigeonhole.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.DatabaseServer;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A consumer and two workers, each a process of its own, killed at random moments while messages fail. */
@Tag("full")
class RandomKillsIT {
    private static final int MESSAGES = DatabaseServer.isFull() ? 10_000 : 3_000;
    private static final int KILLS = DatabaseServer.isFull() ? 15 : 4;
    private static final int PARTITIONS = 4;
    private static final long SEED = 20_261_121;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final EmbeddedPostgres postgres = EmbeddedPostgres.start(
            Path.of(System.getProperty("pigeonhole.target", "target")).resolve("postgres"));
    private final List<ChildJvm> processes = new ArrayList<>();
    private final Random random = new Random(SEED);
    private int born;

    @SuppressWarnings("NullAway.Init")
    private EmbeddedKafka kafka;

    @BeforeEach
    void start() {
        postgres.createDatabase("chaos");
        Schema.apply(postgres.dataSource("chaos"));
        execute(
                "CREATE TABLE effect (place bigint GENERATED ALWAYS AS IDENTITY, key int NOT NULL, number int NOT NULL)");
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
        kafka.createTopic("traffic", PARTITIONS);
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (ChildJvm process : processes) {
            process.kill();
        }
        kafka.close();
        postgres.close();
    }

    @Test
    void orderAttemptsAndDeadLettersAreRightWhateverIsKilled() throws InterruptedException {
        for (int role = 0; role < 3; role++) {
            processes.add(start(role));
        }
        send();
        for (int kill = 0; kill < KILLS; kill++) {
            int until = effects() + 100 + random.nextInt(400);
            awaitThat(() -> effects() >= until || isFinished());
            int role = random.nextInt(processes.size());
            assertThat(processes.get(role).isAlive())
                    .as(processes.get(role).output())
                    .isTrue();
            processes.get(role).kill();
            processes.set(role, start(role));
        }
        awaitThat(this::isFinished);

        List<String> dead = texts(Traffic.dead(MESSAGES));
        EffectsChecker.expecting(texts(IntStream.range(0, MESSAGES).boxed().toList()))
                .effects(ask("SELECT number FROM effect"))
                .dead(ask("SELECT convert_from(message_id, 'UTF8') FROM inbox_dead_letter"))
                .check()
                .assertExactlyOnce();
        assertThat(ask("SELECT convert_from(message_id, 'UTF8') FROM inbox_dead_letter"))
                .containsExactlyInAnyOrderElementsOf(dead);
        assertThat(ask("SELECT DISTINCT reason FROM inbox_dead_letter")).containsExactly("RETRIES_EXHAUSTED");
        assertThat(outOfOrder()).isEmpty();
        assertThat(
                        ask(
                                "SELECT error_class || ': ' || message FROM inbox_attempt WHERE message NOT LIKE '% fails at attempt %'"))
                .as("attempts that nobody made fail")
                .isEmpty();
        assertThat(ask("SELECT count(*) FROM inbox_attempt")).containsExactly("" + expectedAttempts());
        assertThat(ask("SELECT message_key FROM inbox_attempt GROUP BY message_key HAVING count(*) NOT IN (2, "
                        + Traffic.ATTEMPTS + ") OR count(*) <> max(number)"))
                .as("messages with another number of attempts than their failures")
                .isEmpty();
    }

    private void awaitThat(Callable<Boolean> condition) {
        try {
            await().atMost(PATIENCE).until(condition);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(effects() + " effects, and in work: " + String.join("\n", ask("""
                            SELECT 'work_partition ' || work_partition || ' ' || status || ' by lease ' || by_lease || ': ' || count(*) || ', due in '
                                || min(due_at - clock_timestamp()) || ', leased for '
                                || coalesce(min(lease_until - clock_timestamp())::text, '-')
                            FROM inbox_work GROUP BY work_partition, status, by_lease ORDER BY work_partition""")), e);
        }
    }

    private static long expectedAttempts() {
        long twice = IntStream.range(0, MESSAGES).filter(Traffic::failsTwice).count();
        return 2 * twice + (long) Traffic.ATTEMPTS * Traffic.dead(MESSAGES).size();
    }

    private List<String> outOfOrder() {
        return ask("""
                SELECT key || ': ' || number || ' after ' || before FROM (
                    SELECT key, number, lag(number) OVER (PARTITION BY key ORDER BY place) AS before FROM effect
                ) AS pairs WHERE number < before""");
    }

    private boolean isFinished() {
        int dead =
                Integer.parseInt(ask("SELECT count(*) FROM inbox_dead_letter").get(0));
        return effects() + dead >= MESSAGES
                && ask("SELECT count(*) FROM inbox_work").get(0).equals("0");
    }

    private ChildJvm start(int role) {
        String node = role == 0 ? "consumer" : "worker-" + role;
        List<String> arguments = new ArrayList<>(List.of(postgres.url("chaos"), node));
        if (role == 0) {
            Collections.addAll(arguments, kafka.bootstrapServers(), "traffic");
        }
        Path output = Path.of(System.getProperty("pigeonhole.target", "target"), "chaos", ++born + "-" + node + ".out");
        return ChildJvm.start(TrafficProcess.class, output, arguments);
    }

    private void send() {
        Map<String, Object> config =
                new TreeMap<>(Map.of("bootstrap.servers", kafka.bootstrapServers(), "linger.ms", 5));
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int number = 0; number < MESSAGES; number++) {
                ProducerRecord<byte[], byte[]> record =
                        new ProducerRecord<>("traffic", bytes("key " + Traffic.key(number)), bytes("" + number));
                record.headers().add("message-id", bytes("" + number)).add("message-type", bytes(Traffic.TYPE));
                var ignored = producer.send(record);
            }
            producer.flush();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> texts(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.toList());
    }

    private int effects() {
        return Integer.parseInt(ask("SELECT count(*) FROM effect").get(0));
    }

    private List<String> ask(String sql) {
        try (Connection connection = postgres.dataSource("chaos").getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) {
        try (Connection connection = postgres.dataSource("chaos").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
