package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.OnRedeliveredDeadLetter;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.outbox.OutboxMessage;
import io.pigeonhole.core.retry.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * What becomes of messages where the numbers of rows begin anew, as behind TRUNCATE, a restore of rows only, or on a server
 * that logical replication has filled.
 */
@Tag("full")
@Tag("D1")
class NumbersBegunAnewIT {
    private static final Author ANN = new Author("ann", "a test");

    private final AtomicBoolean passing = new AtomicBoolean(true);

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all(), Stream.of(H2Server.FILES))
                .flatMap(each -> each);
    }

    static Stream<DatabaseServer> postgres() {
        return PostgresServers.all().map(each -> each);
    }

    /** Fails for good at notes; at others for a day, as long as they pass. */
    private Inbox<JdbcContext> inbox(DataSource dataSource) {
        return Inbox.builder("notes", JdbcStore.create(dataSource))
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new PermanentFailure(payload);
                })
                .handle("other", PayloadDecoder.text(), (payload, context) -> {
                    throw passing.get() ? new IllegalStateException(payload) : new PermanentFailure(payload);
                })
                .handle("fine", PayloadDecoder.text(), (payload, context) -> {})
                .order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .history(HistoryMode.WITHOUT_PAYLOAD)
                .retry(RetryPolicy.fixed(Duration.ofDays(1)))
                .build();
    }

    private static Message message(String type, String id) {
        return Message.builder("queue")
                .id(id)
                .type(type)
                .payload(id)
                .orderingKey(id)
                .build();
    }

    private static void beginAnew(DatabaseServer server, Workshop workshop) {
        if (server instanceof MariaDbServer) {
            workshop.execute("TRUNCATE TABLE inbox_work");
        } else if (server instanceof PostgresServer) {
            workshop.execute("ALTER SEQUENCE inbox_arrival RESTART");
        } else {
            beginAnew(server, workshop, "inbox_work");
        }
    }

    /** Of a table whose ids nothing else has. */
    private static void beginAnew(DatabaseServer server, Workshop workshop, String table) {
        workshop.execute("ALTER TABLE " + table
                + (server instanceof MariaDbServer
                        ? " AUTO_INCREMENT = 1"
                        : " ALTER COLUMN id RESTART" + (server instanceof PostgresServer ? "" : " WITH 1")));
    }

    /** A dead letter with the number 1000, of which the counter knows nothing. */
    private void beginAnewBehindALetter(DatabaseServer server, Workshop workshop) {
        inbox(workshop.dataSource()).process(message("note", "first"));
        workshop.execute("UPDATE inbox_dead_letter SET id = 1000");
        beginAnew(server, workshop);
    }

    private static void assertThatWorkIsBehindTheLetter(Workshop workshop) {
        assertThat(Long.parseLong(workshop.ask("SELECT id FROM inbox_work"))).isGreaterThan(1000);
    }

    private static MessageKey key(Admin admin, String id) {
        return admin.keyOf("notes", "queue", MessageId.of(id));
    }

    private static List<String> letters(Workshop workshop) {
        return workshop.askAll("SELECT type FROM inbox_dead_letter ORDER BY id");
    }

    private static List<String> ids(Workshop workshop, String table) {
        return workshop.askAll("SELECT message_id FROM " + table + " ORDER BY id").stream()
                .map(id -> id.startsWith("\\x") ? fromHex(id.substring(2)) : id)
                .toList();
    }

    private static String fromHex(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    }

    /** MariaDB's own counter never goes back behind its rows. */
    @ParameterizedTest
    @MethodSource("servers")
    void messageToSendGoesBehindThoseThatAreThere(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            append(workshop, "first", "second");
            workshop.execute("UPDATE outbox_message SET position = position + 1000");
            if (server instanceof PostgresServer) {
                workshop.execute("ALTER SEQUENCE outbox_position RESTART");
            } else if (server instanceof H2Server) {
                workshop.execute("ALTER TABLE outbox_message ALTER COLUMN position RESTART WITH 1");
            }
            append(workshop, "third");

            assertThat(workshop.askAll("SELECT type FROM outbox_message ORDER BY position"))
                    .containsExactly("first", "second", "third");
        }
    }

    /** By a store that begins, as behind a failover. */
    private void append(Workshop workshop, String... types) throws SQLException {
        inbox(workshop.dataSource());
        JdbcStore store = JdbcStore.create(workshop.dataSource());
        try (Connection connection = workshop.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (String type : types) {
                store.outbox(connection)
                        .append(OutboxMessage.to("sent")
                                .key("a key")
                                .type(type)
                                .payload("x")
                                .build());
            }
            connection.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void deadLetterGoesBehindThoseThatAreThere(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            inbox.process(message("note", "first"));
            beginAnew(server, workshop);

            assertThat(inbox.process(message("note", "second")).kind()).isEqualTo(Kind.DEAD);
            assertThat(inbox.process(message("note", "third")).kind()).isEqualTo(Kind.DEAD);
            assertThat(ids(workshop, "inbox_dead_letter")).containsExactly("first", "second", "third");
            assertThat(workshop.askAll("SELECT seen_again FROM inbox_dead_letter"))
                    .containsOnly("0");
            assertThat(workshop.askAll("SELECT reason FROM inbox_dead_letter")).containsOnly("PERMANENT_FAILURE");
            assertThat(workshop.askAll("SELECT id FROM inbox_work")).isEmpty();
        }
    }

    @Test
    void counterOfH2IsMovedAheadWhereTheLocaleWritesOtherDigits() {
        Locale before = Locale.getDefault();
        try (Workshop workshop = H2Server.FILES.schema()) {
            inbox(workshop.dataSource()).process(message("note", "first"));
            beginAnew(H2Server.FILES, workshop);
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));

            JdbcStore.create(workshop.dataSource()).maintain();

            assertThat(nextOfH2(workshop, "inbox_work")).isNotEqualTo("1");
        } finally {
            Locale.setDefault(before);
        }
    }

    /** Whose sequence may not go so far. */
    @Test
    void counterOfH2ThatIsRefusedKeepsNoOtherFromBeingMovedAhead() {
        try (Workshop workshop = H2Server.FILES.schema()) {
            inbox(workshop.dataSource()).process(message("note", "first"));
            workshop.execute("UPDATE inbox_dead_letter SET id = 1000");
            workshop.execute("ALTER TABLE inbox_work ALTER COLUMN id SET MAXVALUE 100 RESTART WITH 1");
            beginAnew(H2Server.FILES, workshop, "inbox_attempt");
            String largest = workshop.ask("SELECT MAX(id) + 1 FROM inbox_attempt");

            assertThatThrownBy(() -> inbox(workshop.dataSource()))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("the next row of inbox_work would get the number 1");

            assertThat(nextOfH2(workshop, "inbox_attempt")).isEqualTo(largest);
            assertThat(nextOfH2(workshop, "inbox_work")).isEqualTo("1");
        }
    }

    private static String nextOfH2(Workshop workshop, String table) {
        return workshop.ask("SELECT identity_base FROM information_schema.columns WHERE table_schema = CURRENT_SCHEMA"
                + " AND LOWER(table_name) = '" + table + "' AND LOWER(column_name) = 'id'");
    }

    @ParameterizedTest
    @MethodSource("servers")
    void messageInWorkDiesAlthoughADeadLetterHasItsPlace(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            Admin admin = JdbcStore.create(workshop.dataSource()).admin();
            inbox.process(message("note", "first"));
            beginAnew(server, workshop);
            assertThat(inbox.process(message("other", "second")).kind()).isEqualTo(Kind.PARKED);
            assertThat(workshop.ask("SELECT COUNT(*) FROM inbox_work WHERE id IN (SELECT id FROM inbox_dead_letter)"))
                    .isEqualTo("1");

            passing.set(false);
            assertThat(admin.retryNow("notes", key(admin, "second"), ANN).hasChanged())
                    .isTrue();
            inbox.work();
            assertThat(ids(workshop, "inbox_dead_letter")).containsExactly("first", "second");
            assertThat(ids(workshop, "inbox_work")).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void blockingMessageIsSkippedAlthoughADeadLetterHasItsPlace(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            Admin admin = JdbcStore.create(workshop.dataSource()).admin();
            inbox.process(message("note", "first"));
            beginAnew(server, workshop);
            inbox.process(message("other", "second"));

            Answer answer = admin.unblock("notes", OrderingKey.of("second"), ANN);
            assertThat(answer.hasChanged()).as(answer.detail()).isTrue();
            assertThat(ids(workshop, "inbox_dead_letter")).containsExactly("first", "second");
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void requeuedLetterGoesBehindTheMessageThatHasItsPlace(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            inbox.process(message("note", "first"));
            beginAnew(server, workshop);
            inbox.process(message("other", "second"));

            Admin admin = JdbcStore.create(workshop.dataSource()).admin();
            Answer answer = admin.requeue("notes", key(admin, "first"), Requeue.atOnce(), ANN);
            assertThat(answer.hasChanged()).as(answer.detail()).isTrue();
            assertThat(ids(workshop, "inbox_work")).containsExactly("second", "first");
            assertThat(letters(workshop)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void reopenedLetterGoesBehindTheMessageThatHasItsPlace(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            inbox.process(message("note", "first"));
            beginAnew(server, workshop);
            inbox.process(message("other", "second"));

            Inbox<JdbcContext> reopening = Inbox.builder("notes", JdbcStore.create(workshop.dataSource()))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                    .handle("other", PayloadDecoder.text(), (payload, context) -> {})
                    .order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                    .onRedeliveredDeadLetter(OnRedeliveredDeadLetter.REQUEUE)
                    .build();
            reopening.process(message("note", "first"));
            assertThat(letters(workshop)).isEmpty();
            assertThat(ids(workshop, "inbox_work")).startsWith("second");
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void storeThatBeginsGivesNoNumberThatIsGiven(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            beginAnewBehindALetter(server, workshop);

            inbox(workshop.dataSource()).process(message("other", "second"));
            assertThatWorkIsBehindTheLetter(workshop);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void storeThatRunsMovesItsNumbersAheadInItsHourlyUpkeep(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            beginAnewBehindALetter(server, workshop);
            store.maintain();

            inbox.process(message("other", "second"));
            assertThatWorkIsBehindTheLetter(workshop);
        }
    }

    /** A run over the history would take later messages for its own, or pass over them. */
    @ParameterizedTest
    @MethodSource("servers")
    void historyGoesOnBehindWhatItsReplaysHaveSeen(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            inbox(workshop.dataSource()).process(message("fine", "first"));
            String epoch = server instanceof PostgresServer ? "clock_timestamp()" : "TIMESTAMP '2020-01-01 00:00:00'";
            workshop.execute(
                    "INSERT INTO inbox_replay (name, consumer_id, recovery, state, cutoff, mark, position, done,"
                            + " skipped, who, reason, created_at, updated_at) VALUES ('run', 1, FALSE, 'PAUSED', 5000, 0, 10, 0, 0,"
                            + " 'ann', 'a test', " + epoch + ", " + epoch + ")");

            inbox(workshop.dataSource()).process(message("fine", "second"));
            assertThat(workshop.askAll("SELECT id FROM inbox_history ORDER BY id DESC"))
                    .first()
                    .satisfies(id -> assertThat(Long.parseLong(id)).isGreaterThan(5000));
            assertThat(workshop.askAll("SELECT consumer_id FROM inbox_history")).containsOnly("1");
        }
    }

    /** It would work on the messages of a consumer that somebody deleted. */
    @ParameterizedTest
    @MethodSource("servers")
    void newConsumerGetsNoNumberThatRowsOfADeletedOneHave(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            inbox.process(message("note", "first"));
            inbox.process(message("other", "second"));
            inbox.process(message("fine", "third"));
            int number = 1000;
            for (String table : List.of("inbox_work", "inbox_dead_letter", "inbox_attempt", "inbox_history")) {
                workshop.execute("UPDATE " + table + " SET consumer_id = " + number);

                Inbox.builder("consumer " + number, JdbcStore.create(workshop.dataSource()))
                        .handle("note", PayloadDecoder.text(), (payload, context) -> {})
                        .build();

                assertThat(Integer.parseInt(workshop.ask("SELECT MAX(id) FROM inbox_consumer")))
                        .as(table)
                        .isGreaterThan(number);
                number += 1000;
            }
        }
    }

    /** It would take messages for duplicates that the other one has processed. */
    @ParameterizedTest
    @MethodSource("servers")
    void newConsumerOfAProgramThatRunsGetsNoNumberThatWasGiven(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            assertThat(fine(store, "notes").process(message("fine", "first")).kind())
                    .isEqualTo(Kind.PROCESSED);
            beginConsumersAnew(server, workshop);
            if (!(server instanceof PostgresServer)) {
                workshop.execute("TRUNCATE TABLE inbox_work_partition");
            }

            assertThat(fine(store, "others").process(message("fine", "first")).kind())
                    .isEqualTo(Kind.PROCESSED);
        }
    }

    /** Which has nothing but work partitions, that another consumer of its number could not have. */
    @ParameterizedTest
    @MethodSource("servers")
    void newConsumerIsRegisteredBesideTheWorkPartitionsOfADeletedOne(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            fine(store, "notes");
            beginConsumersAnew(server, workshop);

            assertThat(fine(store, "others").process(message("fine", "first")).kind())
                    .isEqualTo(Kind.PROCESSED);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void newConsumerIsRefusedWhereNoNumberIsLeft(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            Inbox<JdbcContext> known = fine(store, "notes");
            known.process(message("fine", "first"));
            workshop.execute("UPDATE inbox_ledger SET consumer_id = 32767");

            assertThatThrownBy(() -> fine(store, "others"))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("the consumer others cannot be registered")
                    .hasMessageContaining("32,767");
            assertThat(fine(JdbcStore.create(workshop.dataSource()), "notes")
                            .process(message("fine", "second"))
                            .kind())
                    .isEqualTo(Kind.PROCESSED);
        }
    }

    private static Inbox<JdbcContext> fine(JdbcStore store, String consumer) {
        return Inbox.builder(consumer, store)
                .handle("fine", PayloadDecoder.text(), (payload, context) -> {})
                .build();
    }

    private static void beginConsumersAnew(DatabaseServer server, Workshop workshop) {
        workshop.execute(
                "TRUNCATE TABLE inbox_consumer" + (server instanceof MariaDbServer ? "" : " RESTART IDENTITY"));
    }

    /** The counter is moved ahead by a row that is deleted again. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
    void rowThatGotTheNumberMeanwhileStaysInTheHistory(MariaDbServer server) {
        try (Workshop workshop = server.schema()) {
            inbox(workshop.dataSource()).process(message("fine", "first"));
            workshop.execute(
                    "INSERT INTO inbox_replay (name, consumer_id, recovery, state, cutoff, mark, position, done,"
                            + " skipped, who, reason, created_at, updated_at) SELECT 'run', 1, FALSE, 'PAUSED', 5000, 0, 10, 0, 0,"
                            + " 'ann', 'a test', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)");
            DataSource connections = InterposedDataSource.before(
                    1,
                    "inbox_history (id,",
                    workshop.dataSource(),
                    () -> workshop.execute("UPDATE inbox_history SET id = 5000"));

            inbox(connections);

            assertThat(workshop.askAll("SELECT id FROM inbox_history")).containsExactly("5000");
        }
    }

    /** Where a counter forgets even the rows of its own table. */
    @ParameterizedTest
    @MethodSource("servers")
    void otherNumbersBeginBehindTheRowsToo(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            Inbox<JdbcContext> inbox = inbox(workshop.dataSource());
            Admin admin = JdbcStore.create(workshop.dataSource()).admin();
            inbox.process(message("note", "first"));
            admin.pause("notes", ANN);
            admin.resume("notes", ANN);
            for (String table : List.of("inbox_attempt", "inbox_audit", "inbox_history", "inbox_consumer")) {
                beginAnew(server, workshop, table);
            }

            Inbox<JdbcContext> begun = Inbox.builder("another", JdbcStore.create(workshop.dataSource()))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        throw new PermanentFailure(payload);
                    })
                    .build();
            assertThat(begun.process(message("note", "second")).kind()).isEqualTo(Kind.DEAD);
            assertThat(admin.pause("notes", ANN).hasChanged()).isTrue();
            for (String table : List.of("inbox_attempt", "inbox_audit", "inbox_consumer")) {
                assertThat(workshop.askAll("SELECT id FROM " + table))
                        .as(table)
                        .hasSizeGreaterThan(1)
                        .doesNotHaveDuplicates();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("postgres")
    void storeThatMayNotMoveItsNumbersSaysWhatToRun(DatabaseServer server) {
        try (Workshop workshop = server.schema()) {
            beginAnewBehindALetter(server, workshop);
            String schema = workshop.ask("SELECT current_schema()");
            String role = "reader_" + ProcessHandle.current().pid() + "_" + schema;
            workshop.execute("CREATE ROLE " + role + " LOGIN");
            try {
                workshop.execute("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
                workshop.execute("GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO " + role);
                workshop.execute("GRANT SELECT, USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role);
                PGSimpleDataSource limited = new PGSimpleDataSource();
                limited.setUrl(workshop.url());
                limited.setUser(role);
                assertThatThrownBy(() -> inbox(limited))
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageContaining("the next row of inbox_work would get the number 1")
                        .hasMessageContaining("up to 1000")
                        .hasMessageContaining("SELECT setval('" + schema + ".inbox_arrival', 1000)");

                workshop.execute("SELECT setval('" + schema + ".inbox_arrival', 1000)");
                assertThat(inbox(limited).process(message("note", "second")).kind())
                        .isEqualTo(Kind.DEAD);
            } finally {
                workshop.execute("DROP OWNED BY " + role);
                workshop.execute("DROP ROLE " + role);
            }
        }
    }
}
