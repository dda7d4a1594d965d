package io.pigeonhole.debezium;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.embedded.EmbeddedKafka;
import io.pigeonhole.embedded.EmbeddedPostgres;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.JdbcStore;
import io.pigeonhole.jdbc.Schema;
import io.pigeonhole.kafka.KafkaSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debezium with the settings and the SQL of {@code docs/outbox-debezium.md}, from our tables to a topic. */
class DebeziumRouterIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String LAST = "last";
    private static final AtomicInteger TESTS = new AtomicInteger();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedPostgres postgres;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedKafka kafka;

    private final String database = "shop" + TESTS.incrementAndGet();
    private final String topic = "payments." + database;
    private final String heartbeats = "__debezium-heartbeat." + database;
    private final DataSource dataSource = postgres.dataSource(database);

    @SuppressWarnings("NullAway.Init")
    private JdbcStore store;

    @BeforeAll
    static void startServers() {
        postgres = EmbeddedPostgres.startWithoutFlush(
                Path.of(System.getProperty("pigeonhole.target", "target"), "postgres"), Map.of("wal_level", "logical"));
        execute(postgres.dataSource("postgres"), DebeziumGuide.sql("CREATE ROLE"));
        kafka = EmbeddedKafka.start(directory.resolve("kafka"));
    }

    @AfterAll
    static void stopServers() {
        kafka.close();
        postgres.close();
    }

    @BeforeEach
    void createDatabase() {
        postgres.createDatabase(database);
        Schema.apply(dataSource);
        store = JdbcStore.create(dataSource);
        kafka.createTopic(topic, 1);
        kafka.createTopic(heartbeats, 1);
    }

    @AfterEach
    void dropSlot() {
        execute(dataSource, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
    }

    /** What a user does once. */
    private void setUp() {
        execute(dataSource, DebeziumGuide.sql("GRANT SELECT"));
    }

    /** The connector of the guide on the server and the database of this test. */
    private Properties settings() {
        Properties settings = DebeziumGuide.connector();
        settings.setProperty("database.port", String.valueOf(postgres.port()));
        settings.setProperty("database.dbname", database);
        settings.setProperty("topic.prefix", database);
        assertThat(settings).containsKey("heartbeat.interval.ms");
        settings.setProperty("heartbeat.interval.ms", "200");
        return settings;
    }

    private ConnectWorker connect(Properties settings, String offsets) {
        return ConnectWorker.start(settings, directory.resolve(database + offsets), kafka.bootstrapServers());
    }

    /** Returns when everything that is appended from now on is read from the log. */
    private ConnectWorker connect() {
        ConnectWorker worker = connect(settings(), "");
        awaitSlot(worker);
        return worker;
    }

    private void awaitSlot(ConnectWorker worker) {
        await().atMost(TIMEOUT).until(() -> {
            worker.requireNoFailure();
            return ask("SELECT count(*) FROM pg_replication_slots WHERE active AND confirmed_flush_lsn IS NOT NULL")
                    .equals("1");
        });
    }

    private OutboxMessage.Builder payment(@Nullable String key, String payload) {
        OutboxMessage.Builder message =
                OutboxMessage.to(topic).type("payment.requested").payload(payload);
        return key == null ? message : message.key(key);
    }

    /** In one transaction. */
    private List<UUID> append(OutboxMessage... messages) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            List<UUID> ids = store.outbox(connection).appendAll(Arrays.asList(messages));
            connection.commit();
            return ids;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Each in a transaction of its own. */
    private void appendNumbers(int from, int to) {
        IntStream.range(from, to)
                .forEach(number -> append(payment("account 7", "" + number).build()));
    }

    /** All records up to the one with the payload {@link #LAST}, which this appends. */
    private List<ConsumerRecord<byte[], byte[]>> recordsUntilLast(ConnectWorker worker) {
        append(payment(null, LAST).build());
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (TopicReader reader = new TopicReader(kafka.bootstrapServers(), topic)) {
            while (records.isEmpty()
                    || !LAST.equals(text(records.get(records.size() - 1).value()))) {
                records.addAll(reader.next(1, worker));
            }
        }
        return records.subList(0, records.size() - 1);
    }

    private List<@Nullable String> payloadsUntilLast(ConnectWorker worker) {
        List<@Nullable String> payloads = new ArrayList<>();
        recordsUntilLast(worker).forEach(record -> payloads.add(text(record.value())));
        return payloads;
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf).toList();
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, UTF_8);
    }

    private static List<String> headers(ConsumerRecord<byte[], byte[]> record) {
        return Stream.of(record.headers().toArray())
                .map((Header header) -> header.key() + "=" + text(header.value()))
                .toList();
    }

    private static void execute(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    private String ask(String sql) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Test
    void rowBecomesARecordWithItsBytesAndTheHeadersThatASourceLooksFor() {
        setUp();
        byte[] key = {0, (byte) 0xff, (byte) 0xc3};
        byte[] payload = {0, (byte) 0xc3, (byte) 0x28};
        List<UUID> ids;
        List<ConsumerRecord<byte[], byte[]>> records;
        try (ConnectWorker worker = connect()) {
            ids = append(
                    OutboxMessage.to(topic)
                            .type("payment.requested")
                            .key(key)
                            .contentType("application/octet-stream")
                            .header("correlation-id", "c-1")
                            .payload(payload)
                            .build(),
                    OutboxMessage.to(topic).payload("no key, no type").build(),
                    OutboxMessage.to(topic).key("").payload("").build(),
                    OutboxMessage.to(topic)
                            .type("payment.deleted")
                            .key("account 7")
                            .payload((byte[]) null)
                            .build());
            records = recordsUntilLast(worker);
        }
        assertThat(records).extracting(ConsumerRecord::key).containsExactly(key, null, new byte[0], bytes("account 7"));
        assertThat(records)
                .extracting(ConsumerRecord::value)
                .containsExactly(payload, bytes("no key, no type"), new byte[0], null);
        assertThat(records)
                .extracting(DebeziumRouterIT::headers)
                .containsExactly(
                        List.of(
                                "id=" + ids.get(0),
                                "message-id=" + ids.get(0),
                                "message-type=payment.requested",
                                "content-type=application/octet-stream"),
                        List.of(
                                "id=" + ids.get(1),
                                "message-id=" + ids.get(1),
                                "message-type=null",
                                "content-type=null"),
                        List.of(
                                "id=" + ids.get(2),
                                "message-id=" + ids.get(2),
                                "message-type=null",
                                "content-type=null"),
                        List.of(
                                "id=" + ids.get(3),
                                "message-id=" + ids.get(3),
                                "message-type=payment.deleted",
                                "content-type=null"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void guideSaysWhatBecomesOfEachColumn() {
        String columns = ask("""
                SELECT string_agg(column_name, ' ')
                FROM information_schema.columns
                WHERE table_schema = 'public' AND table_name = 'outbox_message'""");

        assertThat(columns.split(" "))
                .hasSize(11)
                .allSatisfy(column -> assertThat(DebeziumGuide.section("What becomes of a row"))
                        .containsPattern("\\n\\| [^|]*`" + column + "`"));
    }

    @Test
    void messagesOfAHandlerTakeEffectOnceInTheInboxBehindAlthoughAllRowsAreReadAnew() {
        setUp();
        execute(dataSource, "CREATE TABLE effect (amount text NOT NULL, of_key text)");
        Inbox<JdbcContext> requests = Inbox.builder("requests", store)
                .handle("request", PayloadDecoder.text(), (amount, context) -> {
                    context.outbox().append(payment("account 7", amount).build());
                    if (amount.equals("13")) {
                        throw new IllegalStateException("always");
                    }
                })
                .build();
        Inbox<JdbcContext> payments = Inbox.builder("payments", store)
                .handle(
                        "payment.requested",
                        PayloadDecoder.text(),
                        (amount, context) -> context.defer(
                                "INSERT INTO effect VALUES (?, ?)",
                                amount,
                                text(context.message().orderingKey())))
                .build();
        KafkaSource source = KafkaSource.of(payments, Map.of("bootstrap.servers", kafka.bootstrapServers()), topic);
        try (Node node = Node.builder(store).source(source).start()) {
            try (ConnectWorker worker = connect()) {
                List<Outcome> outcomes = requests.process(IntStream.range(0, 20)
                        .mapToObj(number -> Message.builder("bank")
                                .id("" + number)
                                .type("request")
                                .payload("" + number)
                                .build())
                        .toList());
                assertThat(outcomes)
                        .filteredOn(Outcome.Processed.class::isInstance)
                        .hasSize(19);
                await().atMost(TIMEOUT)
                        .until(() -> ask("SELECT count(*) FROM effect").equals("19"));
                worker.requireNoFailure();
            }
            // Its offsets are lost, and its slot with them.
            dropSlot();
            try (ConnectWorker worker = connect(settings(), "-anew")) {
                assertThat(recordsUntilLast(worker)).hasSize(38);
                await().atMost(TIMEOUT)
                        .until(() -> ask("SELECT count(*) FROM effect").equals("20"));
            }
            assertThat(node.failure()).isNull();
        }
        assertThat(ask("SELECT count(DISTINCT amount) FROM effect WHERE of_key = 'account 7'"))
                .isEqualTo("19");
        assertThat(ask("SELECT count(*) FROM effect WHERE amount = '13'")).isEqualTo("0");
    }

    @Test
    @Tag("full")
    void whatIsThereBeforeTheFirstStartIsReadInTheOrderOfItsPositions() {
        setUp();
        execute(dataSource, "UPDATE outbox_generation SET current = 1");
        appendNumbers(0, 10);
        execute(dataSource, "UPDATE outbox_generation SET current = 0");
        appendNumbers(10, 20);
        try (ConnectWorker worker = connect()) {
            assertThat(payloadsUntilLast(worker)).isEqualTo(numbers(0, 20));
        }
    }

    @Test
    void bothTablesAreReadAsOneWhileTheyTakeTurnsAndTheDrainedOneIsTruncated() {
        setUp();
        String nextTable = DebeziumGuide.sql("UPDATE outbox_generation");
        try (ConnectWorker worker = connect()) {
            for (int i = 0; i < 5; i++) {
                appendNumbers(10 * i, 10 * i + 10);
                execute(dataSource, nextTable);
            }
            assertThat(payloadsUntilLast(worker)).isEqualTo(numbers(0, 50));
        }
        assertThat(ask("SELECT count(*) FROM outbox_message")).isEqualTo("11");
        assertThat(ask("SELECT string_agg(DISTINCT payload::text, ' ') FROM outbox_message_0"))
                .contains("\\x3430")
                .doesNotContain("\\x3330");
    }

    @Test
    void connectorThatWasStoppedGoesOnWhereItWasAlthoughTheRowsAreGone() {
        setUp();
        try (ConnectWorker worker = connect()) {
            appendNumbers(0, 10);
            try (TopicReader reader = new TopicReader(kafka.bootstrapServers(), topic)) {
                reader.next(10, worker);
            }
            writeUnrelatedRowsUntilTheLogOfThemMayGo();
        }
        appendNumbers(10, 20);
        execute(dataSource, DebeziumGuide.sql("interval").replace("1 hour", "0 hours"));
        assertThat(ask("SELECT count(*) FROM outbox_message")).isEqualTo("0");
        try (ConnectWorker worker = connect()) {
            List<@Nullable String> payloads = payloadsUntilLast(worker);
            assertThat(payloads).doesNotHaveDuplicates().isEqualTo(numbers(0, 20));
        }
    }

    @Test
    @Tag("full")
    void rowThatIsDeletedAtOnceIsPublished() {
        setUp();
        execute(dataSource, DebeziumGuide.sql("CREATE TRIGGER"));
        Schema.validate(dataSource);
        try (ConnectWorker worker = connect()) {
            appendNumbers(0, 10);
            execute(dataSource, "UPDATE outbox_generation SET current = 1");
            append(
                    payment("account 7", "10").build(),
                    payment("account 8", "11").build());
            assertThat(ask("SELECT count(*) FROM outbox_message")).isEqualTo("0");
            assertThat(payloadsUntilLast(worker)).isEqualTo(numbers(0, 12));
        }
    }

    @Test
    @Tag("full")
    void messageOfATransactionThatIsRolledBackIsNotPublished() throws SQLException {
        setUp();
        try (ConnectWorker worker = connect();
                Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            store.outbox(connection).append(payment("account 7", "rolled back").build());
            connection.rollback();
            store.outbox(connection).append(payment("account 7", "committed").build());
            connection.commit();
            assertThat(payloadsUntilLast(worker)).containsExactly("committed");
        }
    }

    /** Debezium makes it: the user needs more rights. */
    @Test
    void rowsCanBeDeletedWhileAPublicationHasDeletions() {
        Properties settings = settings();
        settings.setProperty("database.user", "postgres");
        settings.setProperty("publication.autocreate.mode", "filtered");
        settings.setProperty("publish.via.partition.root", "true");
        try (ConnectWorker worker = connect(settings, "")) {
            awaitSlot(worker);
            assertThat(ask("SELECT concat(pubdelete, pubviaroot) FROM pg_publication"))
                    .isEqualTo("tt");
            appendNumbers(0, 10);
            execute(dataSource, "DELETE FROM outbox_message");
            execute(dataSource, "UPDATE outbox_generation SET current = 1");
            appendNumbers(10, 20);
            execute(dataSource, DebeziumGuide.sql("UPDATE outbox_generation"));
            execute(dataSource, DebeziumGuide.sql("interval").replace("1 hour", "0 hours"));
            assertThat(ask("SELECT count(*) FROM outbox_message")).isEqualTo("0");
            assertThat(payloadsUntilLast(worker)).isEqualTo(numbers(0, 20));
        }
    }

    /** Debezium's default, where it makes the publication. */
    @Test
    @Tag("full")
    void inboxWorksWhileAPublicationHasAllTables() {
        execute(dataSource, "CREATE PUBLICATION everything FOR ALL TABLES");
        execute(dataSource, "CREATE TABLE effect (amount text NOT NULL)");
        Inbox<JdbcContext> inbox = Inbox.builder("requests", store)
                .handle("request", PayloadDecoder.text(), (amount, context) -> {
                    context.outbox().append(payment("account 7", amount).build());
                    context.defer("INSERT INTO effect VALUES (?)", amount);
                })
                .build();
        Message message =
                Message.builder("bank").id("1").type("request").payload("1").build();

        assertThat(inbox.process(message)).isEqualTo(new Outcome.Processed());
        execute(dataSource, "DELETE FROM outbox_message");

        assertThat(ask("SELECT count(*) FROM outbox_message")).isEqualTo("0");
    }

    @Test
    @Tag("full")
    void publicationCanHaveSomeDestinationsOnly() {
        execute(dataSource, DebeziumGuide.sql("GRANT SELECT"));
        execute(dataSource, "DROP PUBLICATION outbox");
        execute(dataSource, DebeziumGuide.sql("WHERE (destination").replace("refunds", topic));
        try (ConnectWorker worker = connect()) {
            append(OutboxMessage.to("of a relay").payload("not for Debezium").build());
            appendNumbers(0, 3);
            assertThat(payloadsUntilLast(worker)).isEqualTo(numbers(0, 3));
        }
    }

    /** Where nothing is appended while others write. */
    private void writeUnrelatedRowsUntilTheLogOfThemMayGo() {
        execute(dataSource, "CREATE TABLE unrelated AS SELECT generate_series(1, 1000) AS number");
        String written = ask("SELECT pg_current_wal_lsn()");
        await().atMost(TIMEOUT)
                .until(() -> ask("SELECT confirmed_flush_lsn >= '" + written + "' FROM pg_replication_slots")
                        .equals("t"));
    }

    @Test
    @Tag("full")
    void heartbeatsPassTheConvertersAndLetTheLogGo() {
        setUp();
        try (ConnectWorker worker = connect();
                TopicReader reader = new TopicReader(kafka.bootstrapServers(), heartbeats)) {
            assertThat(text(reader.next(1, worker).get(0).value())).contains("ts_ms");
            writeUnrelatedRowsUntilTheLogOfThemMayGo();
        }
    }

    @Test
    void lostSlotIsReportedAndRowsAreReadAnewOnDemand() {
        setUp();
        try (ConnectWorker worker = connect()) {
            appendNumbers(0, 3);
            try (TopicReader reader = new TopicReader(kafka.bootstrapServers(), topic)) {
                reader.next(3, worker);
            }
        }
        dropSlot();
        appendNumbers(3, 5);
        ConnectWorker withoutSlot = connect(settings(), "");
        await().atMost(TIMEOUT).until(() -> withoutSlot.failure() != null);
        assertThat(withoutSlot.failure()).hasStackTraceContaining("snapshot mode when needed");
        withoutSlot.stop();
        Properties settings = settings();
        settings.setProperty("snapshot.mode", "when_needed");
        assertThat(DebeziumGuide.text()).contains("`snapshot.mode=when_needed`");
        try (ConnectWorker worker = connect(settings, "")) {
            awaitSlot(worker);
            assertThat(payloadsUntilLast(worker)).containsExactly("0", "1", "2", "0", "1", "2", "3", "4");
        }
    }

    @Test
    @Tag("full")
    void headersCanGoAlongAsOneHeaderInBase64() {
        setUp();
        String setting = "transforms.outbox.table.fields.additional.placement";
        String added = "headers:header:outbox-headers";
        assertThat(DebeziumGuide.text()).contains("\n    " + added + "\n");
        Properties settings = settings();
        settings.setProperty(setting, settings.getProperty(setting) + "," + added);
        try (ConnectWorker worker = connect(settings, "")) {
            awaitSlot(worker);
            append(payment("account 7", "1").header("correlation-id", "c-1").build());
            List<ConsumerRecord<byte[], byte[]>> records = recordsUntilLast(worker);
            assertThat(headers(records.get(0)))
                    .contains(
                            "outbox-headers="
                                    + ask(
                                            "SELECT replace(encode(headers, 'base64'), E'\\n', '') FROM outbox_message ORDER BY position LIMIT 1"));
        }
    }
}
