package io.pigeonhole.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.crash.ChildJvm;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.PostgresServers;
import io.pigeonhole.jdbc.Workshop;
import io.pigeonhole.testkit.effects.EffectsChecker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message that ends every process that handles it, and processes that are started again and again. */
@Tag("full")
class CrashLoopIT {
    private static final int MESSAGES = 60;
    private static final int KILLER_AT = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Each of them ends one process: so many beginnings are needed to suspect the message, so many attempts it gets. */
    private static final int DEATHS = CrashLoop.CRASH_LIMIT + CrashLoop.ATTEMPTS;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final Workshop database = PostgresServers.embedded().schema();
    private int born;
    private @Nullable ChildJvm process;

    @AfterEach
    void stop() throws InterruptedException {
        if (process != null) {
            process.kill();
        }
        database.close();
    }

    @Test
    void aMessageFromKafkaThatKillsItsProcessIsGivenUpAndItsPartitionGoesOn() throws InterruptedException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"))) {
            kafka.createTopic("deadly", 3);
            send(kafka, ids(0, MESSAGES));

            int deaths = restartUntilDone("kafka", MESSAGES, kafka.bootstrapServers(), "deadly");
            send(kafka, ids(MESSAGES, 2 * MESSAGES));
            await().atMost(PATIENCE).until(() -> isDone(2 * MESSAGES));

            assertOnlyTheKillerIsDead(2 * MESSAGES);
            assertThat(deaths)
                    .as("processes that died; a committed offset that moves in between changes nothing")
                    .isBetween(DEATHS, DEATHS + 2);
        }
    }

    @Test
    void aReceivedMessageThatKillsItsWorkersIsGivenUp() throws InterruptedException {
        List<Message> messages =
                ids(0, MESSAGES).stream().map(CrashLoopIT::message).toList();
        inbox().receive(messages);

        int deaths = restartUntilDone("received", MESSAGES);

        assertOnlyTheKillerIsDead(MESSAGES);
        assertThat(deaths).as("processes that died until the killer was dead").isLessThanOrEqualTo(DEATHS);
    }

    @Test
    void aParkedMessageThatKillsItsWorkersIsGivenUp() throws InterruptedException {
        List<Message> messages =
                ids(0, MESSAGES).stream().map(CrashLoopIT::message).toList();
        assertThat(inbox().process(messages).get(KILLER_AT)).isInstanceOf(Outcome.Parked.class);

        int deaths = restartUntilDone("parked", MESSAGES);

        assertOnlyTheKillerIsDead(MESSAGES);
        assertThat(deaths).as("processes that died until the killer was dead").isLessThanOrEqualTo(DEATHS - 1);
    }

    /** In this process the killer only fails. */
    private Inbox<JdbcContext> inbox() {
        return CrashLoop.inbox(JdbcStore.create(database.dataSource()), () -> {
            throw new IllegalStateException("the killer fails at first");
        });
    }

    private int restartUntilDone(String name, int messages, String... more) throws InterruptedException {
        int deaths = 0;
        while (deaths <= 3 * DEATHS) {
            ChildJvm child = start(name, more);
            await().atMost(PATIENCE).until(() -> !child.isAlive() || isDone(messages));
            if (isDone(messages)) {
                return deaths;
            }
            assertThat(child.exitCode()).as(child.output()).isEqualTo(CrashLoop.HALTED);
            deaths++;
        }
        throw new AssertionError(deaths + " processes died, and there is no end: " + story());
    }

    private String story() {
        return "in work "
                + database.askAll("SELECT encode(message_id, 'escape') || ' ' || status || ' ' || attempts"
                        + " FROM inbox_work LIMIT 20")
                + ", starts "
                + database.askAll("SELECT what || ' at ' || position || ': ' || starts FROM inbox_start");
    }

    private ChildJvm start(String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of(database.url()));
        arguments.addAll(List.of(more));
        Path output = Path.of(
                System.getProperty("pigeonhole.target", "target"),
                "chaos",
                "crash-loop-" + name + "-" + ++born + ".out");
        ChildJvm child = ChildJvm.start(CrashLoop.class, output, arguments);
        process = child;
        return child;
    }

    private boolean isDone(int messages) {
        return database.ask("SELECT (SELECT count(*) FROM effect) + (SELECT count(*) FROM inbox_dead_letter) || ' '"
                        + " || (SELECT count(*) FROM inbox_work)")
                .equals(messages + " 0");
    }

    private void assertOnlyTheKillerIsDead(int messages) {
        String attempts = "attempts: "
                + database.askAll("SELECT m.text || ' ' || a.number || ' ' || a.error_class || ' ' || a.message FROM"
                        + " inbox_attempt AS a JOIN (SELECT message_key, encode(message_id, 'escape') AS text FROM inbox_dead_letter) AS m"
                        + " USING (message_key)");
        EffectsChecker.expecting(ids(0, messages))
                .effects(database.askAll("SELECT text FROM effect"))
                .dead(database.askAll("SELECT encode(message_id, 'escape') FROM inbox_dead_letter"))
                .check()
                .assertExactlyOnce();
        assertThat(database.askAll("SELECT encode(message_id, 'escape') || ' ' || reason || ' ' || attempts FROM"
                        + " inbox_dead_letter"))
                .as(attempts)
                .containsExactly(CrashLoop.KILLER + " RETRIES_EXHAUSTED " + CrashLoop.ATTEMPTS);
        assertThat(database.ask("SELECT count(*) FROM inbox_attempt"))
                .as("attempts of all messages: nobody's but the killer's")
                .isEqualTo("" + CrashLoop.ATTEMPTS);
    }

    private static List<String> ids(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(number -> number == KILLER_AT ? CrashLoop.KILLER : "m" + number)
                .toList();
    }

    private static Message message(String id) {
        return Message.builder("deadly").id(id).type(CrashLoop.TYPE).payload(id).build();
    }

    private static void send(EmbeddedKafka kafka, List<String> ids) {
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < ids.size(); i++) {
                byte[] id = bytes(ids.get(i));
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("deadly", bytes("key " + i % 20), id);
                record.headers().add("message-id", id).add("message-type", bytes(CrashLoop.TYPE));
                var ignored = producer.send(record);
            }
            producer.flush();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
