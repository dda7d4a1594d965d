package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeueReport;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.generic.PlainAdminOperations;
import io.pigeonhole.jdbc.generic.PlainSession;
import io.pigeonhole.jdbc.generic.PlainValues;
import io.pigeonhole.jdbc.retention.OldKeys;
import io.pigeonhole.jdbc.retention.RetentionStatement;
import io.pigeonhole.jdbc.sql.AdminSession;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rows are deleted beside those of somebody's open transaction, and do not wait for it. A server may read, and so lock, all of
 * a table where a statement deletes a large part of it.
 */
@Tag("full")
class DeletedNeighboursIT {
    private static final int ROWS = 300;
    private static final int HELD = 150;
    private static final LocalDateTime LONG_AGO = LocalDateTime.of(2020, 1, 1, 0, 0);

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void bulkRequeueLeavesLettersOfAnotherConsumerToThem(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            deadLetter(store, "orders", ROWS);
            deadLetter(store, "invoices", 1);
            Admin admin = store.admin();

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                execute(
                        somebody,
                        "UPDATE inbox_dead_letter SET seen_again = 1 WHERE id = ?",
                        Long.parseLong(workshop.ask("SELECT MAX(id) FROM inbox_dead_letter")));
                RequeueReport report = admin.requeue(
                        admin.select(DeadLetterFilter.of("orders")), Requeue.atOnce(), new Author("ann", "a test"));

                assertThat(report).isEqualTo(new RequeueReport(ROWS, 0, 0, 0, null));
                somebody.rollback();
            }
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("1");
        }
    }

    /** What was deleted stays in an index while somebody has an older view of it, and whoever inserts it again looks at the next. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void messageDiesAgainWhileTheLetterOfTheNextIsCounted(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            List<ReceivedMessage> two = Stream.of(StoreLab.message(), StoreLab.message())
                    .map(message -> new ReceivedMessage(lab.keyOf(message), message, false))
                    .sorted(Comparator.comparing(ReceivedMessage::key))
                    .toList();
            List<MessageKey> keys = two.stream().map(ReceivedMessage::key).toList();
            receive(lab, two);
            deadLetterWork(workshop, lab);

            try (Connection dump = workshop.dataSource().getConnection()) {
                dump.setAutoCommit(false);
                dump.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                try (Statement view = dump.createStatement()) {
                    view.execute("SELECT count(*) FROM inbox_dead_letter");
                }
                try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                    transaction.reopen(lab.consumer(), keys.subList(0, 1));
                    transaction.commit();
                }
                try (InboxTransaction<JdbcContext> slow = lab.begin()) {
                    assertThat(slow.seenAgain(lab.consumer(), keys.subList(1, 2)))
                            .hasSize(1);
                    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> deadLetterWork(workshop, lab));
                    slow.commit();
                }
                dump.rollback();
            }
            assertThat(workshop.ask("SELECT count(*) FROM inbox_dead_letter")).isEqualTo("2");
        }
    }

    private static void deadLetterWork(Workshop workshop, StoreLab lab) throws SQLException {
        List<Long> ids = workshop.askAll("SELECT id FROM inbox_work").stream()
                .map(Long::valueOf)
                .toList();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.deadLetter(
                    lab.consumer(),
                    transaction.retake(lab.consumer(), ids).stream()
                            .map(item -> new DeadLetter(
                                    item.key(), item.message(), DeadReason.PERMANENT_FAILURE, "dead", true, null, item))
                            .toList());
            transaction.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    @Tag("D5")
    void oldRowsGoBesideThoseThatSomebodyIsAdding(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            try (Connection before = workshop.dataSource().getConnection()) {
                for (int i = 0; i < ROWS; i++) {
                    addRows(server, lab, before, LONG_AGO);
                }
            }

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                addRows(server, lab, somebody, LocalDateTime.now(ZoneOffset.UTC));
                while (lab.store().retire().more()) {
                    // The next piece.
                }
                somebody.commit();
            }

            for (String table : List.of("inbox_ledger", "inbox_attempt", "inbox_audit")) {
                assertThat(workshop.ask("SELECT count(*) FROM " + table))
                        .as(table)
                        .isEqualTo("1");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    @Tag("D5")
    void oldAttemptsGoBesideThoseOfAMessageThatSomebodyIsFinishing(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Message message = StoreLab.message();
            receive(lab, List.of(new ReceivedMessage(lab.keyOf(message), message, false)));
            try (Connection before = workshop.dataSource().getConnection()) {
                addAttempt(before, server.parameter(lab.keyOf(message)), LONG_AGO);
                addAttempt(before, server.parameter(lab.keyOf(StoreLab.message())), LONG_AGO);
            }

            try (InboxTransaction<JdbcContext> somebody = lab.begin()) {
                somebody.finish(
                        lab.consumer(),
                        somebody.retake(
                                lab.consumer(), List.of(Long.valueOf(workshop.ask("SELECT id FROM inbox_work")))));
                while (lab.store().retire().more()) {
                    // The next piece.
                }
                assertThat(workshop.ask("SELECT count(*) FROM inbox_attempt")).isEqualTo("1");
                somebody.commit();
            }
        }
    }

    /** On MariaDB such a transaction has them locked until it ends. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void oldKeysGoBesideThoseThatSomebodyHasClaimedAgain(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            List<Message> messages =
                    Stream.generate(StoreLab::message).limit(25).toList();
            receive(
                    lab,
                    messages.stream()
                            .map(message -> new ReceivedMessage(lab.keyOf(message), message, false))
                            .toList());
            workshop.execute("DELETE FROM inbox_work");
            workshop.execute("UPDATE inbox_ledger SET accepted_at = ?", LONG_AGO);

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                for (Message message : messages.subList(0, 20)) {
                    Claim claim = lab.store().ledger(somebody).claim(lab.consumer(), lab.keyOf(message));
                    assertThat(claim.claimed()).isEmpty();
                }
                forgetInTime(lab.store());

                assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger"))
                        .isEqualTo(server instanceof MariaDbServer ? "20" : "0");
                somebody.rollback();
            }
            nextPass(workshop, lab.store());
            assertThat(workshop.ask("SELECT count(*) FROM inbox_ledger")).isEqualTo("0");
        }
    }

    /** More of them than one piece looks at: the pass goes on behind them. PostgreSQL waits for keys. */
    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    void oldRowsThatSomebodyHoldsAreLeftToTheNextPass(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            JdbcStore store =
                    JdbcStore.builder(workshop.dataSource()).purgeBatch(100).build();
            List<MessageKey> keys = Stream.generate(() -> lab.keyOf(StoreLab.message()))
                    .limit(ROWS)
                    .sorted()
                    .toList();
            List<String> tables = new ArrayList<>(List.of("inbox_attempt", "inbox_audit"));
            if (server instanceof H2Server) {
                tables.add("inbox_history"); // Elsewhere its days are dropped.
            }
            try (Connection before = workshop.dataSource().getConnection()) {
                for (MessageKey key : keys) {
                    addRows(before, server.parameter(key), LONG_AGO);
                    if (server instanceof H2Server) {
                        addHistory(before, server.parameter(key));
                    }
                }
            }

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                somebody.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                for (String table : tables) {
                    long first = Long.parseLong(workshop.ask("SELECT MIN(id) FROM " + table));
                    for (long id = first; id < first + HELD; id++) {
                        hold(somebody, table, "id = ?", id);
                    }
                }
                if (!(server instanceof PostgresServer)) {
                    tables.add("inbox_ledger");
                    for (MessageKey key : keys.subList(0, HELD)) {
                        hold(somebody, "inbox_ledger", "consumer_id = 1 AND message_key = ?", server.parameter(key));
                    }
                }
                forgetInTime(store);

                assertThat(counts(workshop, tables)).containsOnly(String.valueOf(HELD));
                somebody.rollback();
            }
            nextPass(workshop, store);
            assertThat(counts(workshop, tables)).containsOnly("0");
        }
    }

    /** Who copies from an index locks its entries, and not the rows that they are of. */
    @ParameterizedTest
    @MethodSource("mariaDbs")
    void oldRowsOfWhichSomebodyReadsAnIndexAreLeftToTheNextPass(MariaDbServer server) throws SQLException {
        try (Workshop workshop = server.schema();
                Connection somebody = workshop.dataSource().getConnection()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            JdbcStore store = JdbcStore.create(workshop.dataSource());
            for (int i = 0; i < 20; i++) {
                addRows(somebody, server.parameter(lab.keyOf(StoreLab.message())), LONG_AGO);
            }
            List<String> tables = List.of("inbox_attempt", "inbox_audit");
            workshop.execute("CREATE TABLE copied (consumer VARCHAR(255), id BIGINT)");
            somebody.setAutoCommit(false);
            somebody.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            execute(somebody, "INSERT INTO copied SELECT consumer_id, id FROM inbox_attempt");
            execute(somebody, "INSERT INTO copied SELECT consumer, id FROM inbox_audit");
            forgetInTime(store);

            assertThat(counts(workshop, tables)).containsOnly("20");
            somebody.rollback();
            nextPass(workshop, store);
            assertThat(counts(workshop, tables)).containsOnly("0");
        }
    }

    static Stream<MariaDbServer> mariaDbs() {
        return MariaDbServers.all();
    }

    /** What a server reads in order to lock rows it locks, if only for a moment. */
    @ParameterizedTest
    @MethodSource("mariaDbs")
    void noNeighbourIsReadToLockOldRows(MariaDbServer server) throws SQLException {
        try (Workshop workshop = server.schema();
                Connection connection = workshop.dataSource().getConnection()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            List<MessageKey> keys = Stream.generate(() -> lab.keyOf(StoreLab.message()))
                    .limit(40)
                    .toList();
            for (MessageKey key : keys) {
                addRows(connection, server.parameter(key), LONG_AGO);
            }
            workshop.execute("ANALYZE TABLE inbox_ledger, inbox_attempt, inbox_audit");
            List<Long> attempts = ids(workshop, "inbox_attempt");
            List<Long> audit = ids(workshop, "inbox_audit");
            connection.setAutoCommit(false);
            PlainSession plain = PlainSession.withoutClock(connection, new MariaDb());
            AdminSession session = new AdminSession(
                    connection, plain.dialect().texts(), new PlainValues(plain), new PlainAdminOperations(plain));

            for (int count = 1; count <= keys.size(); count++) {
                execute(connection, "FLUSH STATUS");
                assertThat(OldKeys.lock(session, 1, keys.subList(0, count))).hasSize(count);
                assertThat(session.lock(RetentionStatement.LOCK_ATTEMPTS, attempts.subList(0, count)))
                        .hasSize(count);
                assertThat(session.lock(RetentionStatement.LOCK_AUDIT, audit.subList(0, count)))
                        .hasSize(count);
                assertThat(readInOrder(connection))
                        .as("rows read beside %d of each table", count)
                        .isZero();
                connection.rollback();
            }
        }
    }

    private static List<Long> ids(Workshop workshop, String table) {
        return workshop.askAll("SELECT id FROM " + table + " ORDER BY id").stream()
                .map(Long::valueOf)
                .toList();
    }

    private static int readInOrder(Connection connection) throws SQLException {
        int read = 0;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SHOW SESSION STATUS WHERE variable_name IN ('Handler_read_first', 'Handler_read_next')")) {
            while (rows.next()) {
                read += rows.getInt(2);
            }
        }
        return read;
    }

    private static void hold(Connection connection, String table, String which, Object parameter) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM " + table + " WHERE " + which + " FOR UPDATE")) {
            statement.setObject(1, parameter);
            statement.execute();
        }
    }

    private static List<String> counts(Workshop workshop, List<String> tables) {
        return tables.stream()
                .map(table -> workshop.ask("SELECT count(*) FROM " + table))
                .toList();
    }

    private static void forgetInTime(JdbcStore store) {
        assertTimeoutPreemptively(Duration.ofSeconds(40), () -> {
            while (store.retire().more()) {
                // The next piece.
            }
        });
    }

    private static void nextPass(Workshop workshop, JdbcStore store) {
        workshop.execute("UPDATE inbox_upkeep SET next_at = ? WHERE task > ''", LONG_AGO);
        forgetInTime(store);
    }

    @ParameterizedTest
    @MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
    @Tag("D5")
    void oldReplayGoesBesideOneThatIsSkippingAMessage(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            Object key = server.parameter(lab.keyOf(StoreLab.message()));
            try (Connection before = workshop.dataSource().getConnection()) {
                execute(
                        before,
                        "INSERT INTO inbox_replay (name, consumer_id, recovery, state, cutoff, mark, position, done, skipped,"
                                + " who, reason, created_at, updated_at)"
                                + " VALUES ('a', 1, FALSE, 'FINISHED', 0, 0, 0, 0, 3, 'ann', 'a test', ?, ?)",
                        LONG_AGO,
                        LONG_AGO);
                for (int place = 1; place <= 3; place++) {
                    skip(before, "a", place, key);
                }
            }

            try (Connection somebody = workshop.dataSource().getConnection()) {
                somebody.setAutoCommit(false);
                skip(somebody, "b", 1, key);
                while (lab.store().retire().more()) {
                    // The next piece.
                }
                assertThat(workshop.ask("SELECT count(*) FROM inbox_replay")).isEqualTo("0");
                somebody.commit();
            }
            assertThat(workshop.ask("SELECT count(*) FROM inbox_replay_skipped"))
                    .isEqualTo("1");
        }
    }

    private static void skip(Connection connection, String replay, int place, Object key) throws SQLException {
        execute(
                connection,
                "INSERT INTO inbox_replay_skipped (replay, place, message_key, error) VALUES (?, ?, ?, '')",
                replay,
                place,
                key);
    }

    private static void receive(StoreLab lab, List<ReceivedMessage> messages) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(
                    lab.consumer(),
                    messages.stream().map(ReceivedMessage::key).sorted().toList(),
                    StoreLab.LONG);
            transaction.receive(lab.consumer(), messages);
            transaction.commit();
        }
    }

    private static void deadLetter(JdbcStore store, String consumer, int count) {
        Inbox.builder(consumer, store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    throw new PermanentFailure("dead");
                })
                .build()
                .process(IntStream.range(0, count)
                        .mapToObj(i -> StoreLab.message())
                        .toList());
    }

    /** One of each table. The ledger's is in digest form. */
    private static void addRows(DatabaseServer server, StoreLab lab, Connection connection, LocalDateTime at)
            throws SQLException {
        addRows(connection, server.parameter(lab.keyOf(StoreLab.message())), at);
    }

    private static void addRows(Connection connection, Object key, LocalDateTime at) throws SQLException {
        execute(
                connection,
                "INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at) VALUES (1, ?, ?)",
                key,
                at);
        addAttempt(connection, key, at);
        execute(
                connection,
                "INSERT INTO inbox_audit (at, who, reason, action, consumer, detail, affected)"
                        + " VALUES (?, 'ann', 'a test', 'PAUSE', 'c', '', 1)",
                at);
    }

    private static void addHistory(Connection connection, Object key) throws SQLException {
        execute(
                connection,
                "INSERT INTO inbox_history (consumer_id, message_key, source, with_payload, attempts, processed_at)"
                        + " VALUES (1, ?, 's', FALSE, 1, ?)",
                key,
                LONG_AGO);
    }

    private static void addAttempt(Connection connection, Object key, LocalDateTime at) throws SQLException {
        execute(
                connection,
                "INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,"
                        + " message, stack) VALUES (1, ?, 1, 'n', ?, 1, '', '', '')",
                key,
                at);
    }

    private static void execute(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }
}
