package io.pigeonhole.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole path, from a real broker into a real database that dies on the way. */
class KafkaToPostgresIT {
    private static final String CONSUMER = "ledger";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final EmbeddedPostgres postgres = EmbeddedPostgres.start(
            Path.of(System.getProperty("pigeonhole.target", "target")).resolve("postgres"));

    @SuppressWarnings("NullAway.Init")
    private EmbeddedKafka kafka;

    @SuppressWarnings("NullAway.Init")
    private HikariDataSource pool;

    @SuppressWarnings("NullAway.Init")
    private KafkaTopic topic;

    @BeforeEach
    void start() {
        postgres.createDatabase("kafka");
        Schema.apply(postgres.dataSource("kafka"));
        execute("CREATE TABLE effect (id text NOT NULL)");
        HikariConfig config = new HikariConfig();
        config.setDataSource(postgres.dataSource("kafka"));
        config.setMaximumPoolSize(6);
        config.setConnectionTimeout(1_000);
        pool = new HikariDataSource(config);
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
        topic = KafkaTopic.create(kafka, "payments", 3);
    }

    @AfterEach
    void stop() {
        topic.close();
        kafka.close();
        pool.close();
        postgres.close();
    }

    private void execute(String sql) {
        try (Connection connection = postgres.dataSource("kafka").getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> ask(String sql) {
        try (Connection connection = postgres.dataSource("kafka").getConnection();
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

    private int effects() {
        return Integer.parseInt(ask("SELECT count(*) FROM effect").get(0));
    }

    private KafkaSource source(JdbcStore store) {
        Inbox<JdbcContext> inbox = Inbox.builder(CONSUMER, store)
                .payloadLimit(1_000_000)
                .handle("test", PayloadDecoder.text(), (id, context) -> {
                    if (id.equals("13")) {
                        throw new IllegalStateException("always");
                    }
                    context.defer("INSERT INTO effect (id) VALUES (?)", id);
                })
                .build();
        return KafkaSource.of(
                inbox,
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "max.poll.interval.ms", 20_000),
                topic.name());
    }

    @Test
    void eachPaymentTakesEffectOnceAlthoughTheDatabaseDiesOnTheWay() {
        JdbcStore store = JdbcStore.create(pool);
        KafkaSource source = source(store);
        topic.sendMany(1_000, 20);
        try (Node node = Node.builder(store).source(source).start()) {
            await().atMost(PATIENCE).until(() -> effects() >= 100);
            topic.sendMany(2_000, 30);
            postgres.kill();
            // Also where all that came before was through already, something meets the outage.
            topic.sendMany(3_000, 40);
            await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
            postgres.restart();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(topic.committed(CONSUMER)).isEqualTo(topic.ends()));
            assertThat(source.state()).isEqualTo(SourceState.RUNNING);
            assertThat(node.failure()).isNull();
        }
        List<String> expected = IntStream.range(0, 3_000)
                .filter(id -> id != 13)
                .mapToObj(String::valueOf)
                .toList();
        assertThat(ask("SELECT id FROM effect")).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(ask("SELECT convert_from(message_id, 'UTF8') FROM inbox_work"))
                .containsExactly("13");
        assertThat(ask("SELECT convert_from(message_id, 'UTF8') FROM inbox_dead_letter"))
                .isEmpty();
    }

    @Test
    void whateverBytesARecordHoldsItIsKept() {
        JdbcStore store = JdbcStore.create(pool);
        ProducerRecord<byte[], byte[]> odd = new ProducerRecord<>(
                topic.name(), 0, new byte[] {0, (byte) 0xff}, new byte[] {0, (byte) 0xc3, (byte) 0x28});
        odd.headers()
                .add("message-id", new byte[] {0, (byte) 0xff})
                .add("message-type", new byte[] {'t', 0, (byte) 0xff})
                .add("content-type", new byte[] {0})
                .add("null", null)
                .add("name with \0", new byte[] {0});
        ProducerRecord<byte[], byte[]> noId = new ProducerRecord<>(topic.name(), 0, null, "no id".getBytes(UTF_8));
        ProducerRecord<byte[], byte[]> noText = topic.record("no text", "k", new byte[] {(byte) 0xc3, 0x28});
        ProducerRecord<byte[], byte[]> tombstone = topic.record("tombstone", "k", null);
        ProducerRecord<byte[], byte[]> huge = topic.record("huge", "k", new byte[1_040_000]);
        List.of(odd, noId, noText, tombstone, huge).forEach(topic::send);
        topic.send("good", "k");
        try (Node node = Node.builder(store).source(source(store)).start()) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(topic.committed(CONSUMER)).isEqualTo(topic.ends()));
            assertThat(node.failure()).isNull();
        }
        assertThat(ask("SELECT id FROM effect")).containsExactly("good");
        assertThat(ask("SELECT upper(reason) FROM inbox_dead_letter"))
                .containsExactlyInAnyOrder("UNKNOWN_TYPE", "NO_ID", "UNDECODABLE", "UNDECODABLE", "TOO_LARGE");
        assertThat(ask("SELECT encode(payload, 'hex') FROM inbox_dead_letter WHERE message_id = '\\x00ff'"))
                .containsExactly("00c328");
        assertThat(ask("SELECT count(*) FROM inbox_dead_letter WHERE payload IS NULL"))
                .containsExactly("1");
    }
}
