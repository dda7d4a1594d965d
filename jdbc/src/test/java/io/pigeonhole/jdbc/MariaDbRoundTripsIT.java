package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.dialect.MariaDb;
import io.pigeonhole.jdbc.dialect.SessionStatement;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one message costs on MariaDB, in statements that go to the server, and what must hold although they are few. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class MariaDbRoundTripsIT {
    private static final String OWN_LIMIT = "max_statement_time=7";

    private final MariaDbServer server;
    private final Workshop workshop;
    private final HikariDataSource pool;
    private final StoreLab lab;

    MariaDbRoundTripsIT(MariaDbServer server) {
        this.server = server;
        workshop = server.sharedSchema();
        pool = pool("");
        lab = StoreLab.of(pool);
    }

    private HikariDataSource pool(String sessionVariables) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(workshop.url() + (sessionVariables.isEmpty() ? "" : "," + sessionVariables));
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    /** MySQL has no compound statements outside of procedures. */
    @BeforeEach
    void onMariaDbOnly() {
        assumeTrue(server.name().startsWith("MariaDB"));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    /** What the pool's connection was told to execute so far; the question counts as one. */
    private static int statements(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return statements(connection);
        }
    }

    private static int statements(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Questions'")) {
            row.next();
            return row.getInt(2);
        }
    }

    private int cost(Work work) throws SQLException {
        int before = statements(pool);
        work.run();
        return statements(pool) - before - 1;
    }

    private interface Work {
        void run() throws SQLException;
    }

    private boolean claimAndCommit(StoreLab of, MessageKey key) {
        try (InboxTransaction<JdbcContext> transaction = of.begin()) {
            boolean claimed = !transaction
                    .claim(of.consumer(), List.of(key), StoreLab.LONG)
                    .claimed()
                    .isEmpty();
            transaction.commit();
            return claimed;
        }
    }

    /** Auto-commit off, the beginning with the claim, the proof with COMMIT, the settings as before with auto-commit. */
    @Test
    void claimOfOneMessageAndCommitCostFourStatements() throws SQLException {
        claimAndCommit(lab, lab.keyOf(StoreLab.message()));
        MessageKey key = lab.keyOf(StoreLab.message());
        assertThat(cost(() -> assertThat(claimAndCommit(lab, key)).isTrue())).isEqualTo(4);
    }

    @Test
    void claimOfADuplicateCostsNoMore() throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        claimAndCommit(lab, key);
        assertThat(cost(() -> assertThat(claimAndCommit(lab, key)).isFalse())).isEqualTo(4);
    }

    /** The name that it does not know, and the text, for each of two. */
    @Test
    void newSessionParsesTwoStatementsOnce() throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        assertThat(cost(() -> assertThat(claimAndCommit(lab, key)).isTrue())).isEqualTo(8);
        assertThat(cost(() -> assertThat(claimAndCommit(lab, key)).isFalse())).isEqualTo(4);
    }

    /** A pool that resets its connections takes them away. */
    @Test
    void sessionThatHasForgottenItsStatementsParsesThemAgain() throws SQLException {
        CountingDataSource counting = new CountingDataSource(pool);
        StoreLab counted = StoreLab.of(counting.dataSource());
        assertThat(claimAndCommit(counted, counted.keyOf(StoreLab.message()))).isTrue();
        List<String> names = counting.statements().stream()
                .filter(sql -> sql.startsWith("PREPARE "))
                .map(sql -> sql.split(" ", 3)[1])
                .toList();
        assertThat(names).hasSize(2).doesNotHaveDuplicates();
        try (Connection connection = pool.getConnection()) {
            for (String name : names) {
                execute(connection, "DEALLOCATE PREPARE " + name);
            }
        }

        MessageKey key = counted.keyOf(StoreLab.message());
        assertThat(claimAndCommit(counted, key)).isTrue();
        assertThat(claimAndCommit(counted, key)).isFalse();
        assertThat(counting.statements())
                .filteredOn(sql -> sql.startsWith("PREPARE "))
                .hasSize(4);
    }

    /** One statement more each for the beginning and the end, and no error. */
    @Test
    void serverThatKeepsNoPreparedStatementsGetsTheStepsOneByOne() throws SQLException {
        assumeTrue(server.equals(MariaDbServers.embedded()));
        try (Connection connection = workshop.dataSource().getConnection()) {
            String before = SessionLab.ask(connection, "SELECT @@global.max_prepared_stmt_count");
            execute(connection, "SET GLOBAL max_prepared_stmt_count = 0");
            try {
                MessageKey key = lab.keyOf(StoreLab.message());
                assertThat(claimAndCommit(lab, key)).isTrue();
                assertThat(claimAndCommit(lab, key)).isFalse();
                assertThat(cost(() -> assertThat(claimAndCommit(lab, lab.keyOf(StoreLab.message())))
                                .isTrue()))
                        .isGreaterThan(4);
            } finally {
                execute(connection, "SET GLOBAL max_prepared_stmt_count = " + before);
            }
        }
    }

    /** A driver prepares a batch of INSERTs, too. */
    @Test
    void deferredInsertsAreSentOneByOneWhereTheServerKeepsNoPreparedStatements() throws SQLException {
        assumeTrue(server.equals(MariaDbServers.embedded()));
        Inbox<JdbcContext> inbox = Inbox.builder("trips " + UUID.randomUUID(), lab.store())
                .handle("note", PayloadDecoder.text(), (text, context) -> {
                    context.defer("INSERT INTO effect (text) VALUES (?)", text);
                    context.defer("INSERT INTO effect (text) VALUES (?)", text);
                })
                .build();
        String text = "no room " + UUID.randomUUID();
        Message message = Message.builder("notes")
                .id("id " + UUID.randomUUID())
                .type("note")
                .payload(text)
                .build();
        try (Connection connection = workshop.dataSource().getConnection()) {
            String before = SessionLab.ask(connection, "SELECT @@global.max_prepared_stmt_count");
            execute(connection, "SET GLOBAL max_prepared_stmt_count = 0");
            try {
                assertThat(inbox.process(List.of(message)))
                        .extracting(Outcome::kind)
                        .containsExactly(Outcome.Kind.PROCESSED);
            } finally {
                execute(connection, "SET GLOBAL max_prepared_stmt_count = " + before);
            }
        }
        assertThat(workshop.ask("SELECT COUNT(*) FROM effect WHERE text = '" + text + "'"))
                .isEqualTo("2");
    }

    /** An error there would leave the connection without auto-commit in the pool. */
    @Test
    void endOfATransactionChangesNothingInASessionThatADriverHasPutInItsPlace() throws SQLException {
        try (Connection another = workshop.dataSource().getConnection()) {
            execute(
                    another,
                    "SET max_statement_time = 7.5, innodb_lock_wait_timeout = 3, idle_transaction_timeout = 9");
            for (String sql : new MariaDb().end()) {
                execute(another, sql);
            }
            assertThat(
                            SessionLab.ask(
                                    another,
                                    "SELECT CONCAT_WS(' ', @@max_statement_time, @@innodb_lock_wait_timeout, @@idle_transaction_timeout)"))
                    .isEqualTo("7.500000 3 9");
        }
    }

    /** Each session keeps two, however many inboxes there are. */
    @Test
    void inboxesWithOtherTimeoutsShareTheStatementsOfASession() {
        CountingDataSource counting = new CountingDataSource(pool);
        StoreLab counted = StoreLab.of(counting.dataSource());
        for (int seconds = 10; seconds <= 12; seconds++) {
            try (InboxTransaction<JdbcContext> transaction = counted.store().begin(Duration.ofSeconds(seconds))) {
                transaction.claim(counted.consumer(), List.of(counted.keyOf(StoreLab.message())), StoreLab.LONG);
                transaction.commit();
            }
        }

        assertThat(counting.statements())
                .filteredOn(sql -> sql.startsWith("PREPARE "))
                .hasSize(2);
    }

    /** Drivers may refuse to. */
    @Test
    void statementThatBeginsWithSetIsNotExecutedAsAQuery() {
        CountingDataSource counting = new CountingDataSource(workshop.dataSource());
        StoreLab counted = StoreLab.of(counting.dataSource());
        MessageKey key = counted.keyOf(StoreLab.message());

        assertThat(claimAndCommit(counted, key)).isTrue();
        assertThat(claimAndCommit(counted, key)).isFalse();

        assertThat(counting.statements())
                .anyMatch(sql -> sql.startsWith("SET STATEMENT") && sql.contains("EXECUTE") && sql.contains("USING"));
        assertThat(counting.queries()).isNotEmpty().noneMatch(sql -> sql.startsWith("SET"));
    }

    @Test
    void messageCostsFourStatementsBesidesThatOfItsHandlerAndADuplicateOneMore() throws SQLException {
        Inbox<JdbcContext> inbox = Inbox.builder("trips " + UUID.randomUUID(), lab.store())
                .handle(
                        "note",
                        PayloadDecoder.text(),
                        (text, context) -> execute(context.connection(), "INSERT INTO effect (text) VALUES ('one')"))
                .build();
        Message message = Message.builder("notes")
                .id("id " + UUID.randomUUID())
                .type("note")
                .payload("one".getBytes(StandardCharsets.UTF_8))
                .build();
        assertThat(inbox.process(List.of(StoreLab.message("another")))).hasSize(1);
        claimAndCommit(lab, lab.keyOf(StoreLab.message()));

        assertThat(cost(() -> assertThat(inbox.process(List.of(message)))
                        .extracting(Outcome::kind)
                        .containsExactly(Outcome.Kind.PROCESSED)))
                .isEqualTo(5);
        assertThat(cost(() -> assertThat(inbox.process(List.of(message)))
                        .extracting(Outcome::kind)
                        .containsExactly(Outcome.Kind.DUPLICATE)))
                .isEqualTo(5);
    }

    @Test
    void claimInACallersTransactionCostsOneStatementAndSoDoesADuplicate() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            MessageKey key = lab.keyOf(StoreLab.message());
            int before = statements(connection);
            assertThat(lab.store().ledger(connection).claim(lab.consumer(), key).claimed())
                    .containsExactly(key);
            int claimed = statements(connection);
            assertThat(claimed - before - 1).isEqualTo(1);
            assertThat(lab.store().ledger(connection).claim(lab.consumer(), key).claimed())
                    .isEmpty();
            assertThat(statements(connection) - claimed - 1).isEqualTo(1);
            connection.rollback();
        }
    }

    /** A compound statement counts as one, so that a session's own limit would hold for the wait of a claim. */
    @ParameterizedTest
    @ValueSource(strings = {"", OWN_LIMIT})
    void sessionIsAsBeforeAfterNewOnesDuplicatesAndRollbacks(String sessionVariables) throws SQLException {
        try (HikariDataSource another = pool(sessionVariables)) {
            StoreLab other = StoreLab.of(another);
            String before = settings(another);
            MessageKey key = other.keyOf(StoreLab.message());
            assertThat(claimAndCommit(other, key)).isTrue();
            assertThat(settings(another)).isEqualTo(before);
            assertThat(claimAndCommit(other, key)).isFalse();
            assertThat(settings(another)).isEqualTo(before);
            try (InboxTransaction<JdbcContext> transaction = other.begin()) {
                other.claimed(transaction);
            }
            assertThat(settings(another)).isEqualTo(before);
        }
    }

    private static String settings(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return SessionLab.ask(
                    connection,
                    "SELECT CONCAT_WS(' ', @@autocommit, @@tx_isolation, @@innodb_lock_wait_timeout,"
                            + " @@idle_transaction_timeout, @@lock_wait_timeout, @@max_statement_time, @@in_transaction)");
        }
    }

    /** The days are not read again behind the insert: the row of a duplicate must not go in between. */
    @Test
    void dayStaysWhileATransactionThatBeganWithItsClaimIsOpen() throws SQLException {
        try (Workshop own = server.schema();
                Connection another = own.dataSource().getConnection()) {
            StoreLab other = StoreLab.of(own.dataSource());
            String day = own.ask(
                    "SELECT MIN(partition_name) FROM information_schema.partitions"
                            + " WHERE table_schema = DATABASE() AND table_name = 'inbox_ledger' AND partition_name REGEXP '^p[0-9]'");
            String drop = "SET STATEMENT lock_wait_timeout = 1 FOR ALTER TABLE inbox_ledger DROP PARTITION " + day;
            try (InboxTransaction<JdbcContext> transaction = other.begin()) {
                transaction.claim(other.consumer(), List.of(other.keyOf(StoreLab.message())), StoreLab.LONG);
                assertThatThrownBy(() -> execute(another, drop)).hasMessageContaining("Lock wait timeout");
                transaction.commit();
            }
            execute(another, drop);
        }
    }

    /** The statement that the session has parsed meets a table that was changed since. */
    @Test
    void daysThatComeAndGoChangeNothingForASessionThatHasParsedItsStatements() throws SQLException {
        try (Workshop own = server.schema()) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(own.url());
            config.setMaximumPoolSize(1);
            try (HikariDataSource single = new HikariDataSource(config)) {
                StoreLab other = StoreLab.of(single);
                MessageKey key = other.keyOf(StoreLab.message());
                assertThat(claimAndCommit(other, key)).isTrue();
                own.execute("ALTER TABLE inbox_ledger DROP PARTITION "
                        + own.ask(
                                "SELECT MIN(partition_name) FROM information_schema.partitions WHERE table_schema = DATABASE()"
                                        + " AND table_name = 'inbox_ledger' AND partition_name REGEXP '^p[0-9]'"));
                assertThat(claimAndCommit(other, key)).isFalse();
                other.store().maintain();
                assertThat(claimAndCommit(other, key)).isFalse();
                own.execute("ALTER TABLE inbox_ledger ADD COLUMN note INT NULL");

                assertThat(claimAndCommit(other, other.keyOf(StoreLab.message())))
                        .isTrue();
                assertThat(claimAndCommit(other, key)).isFalse();
                assertThat(own.ask("SELECT COUNT(*) FROM inbox_ledger")).isEqualTo("2");
            }
        }
    }

    @Test
    void keyOutsideTheLedgersDaysIsNotClaimedAndSaysSo() {
        RegisteredConsumer ordered = lab.consumer();
        MessageKey late = MessageKey.firstOf(1);
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            var claim = transaction.claim(ordered, List.of(late), StoreLab.LONG);
            assertThat(claim.claimed()).isEmpty();
            assertThat(claim.isLate(late)).isTrue();
        }
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            var claim = transaction.claim(ordered, List.of(MessageKey.LAST_WITH_TIME), StoreLab.LONG);
            assertThat(claim.claimed()).isEmpty();
            assertThat(claim.isFromTheFuture(MessageKey.LAST_WITH_TIME)).isTrue();
        }
    }

    /** The server does not tell whether it was cancelled before the COMMIT or behind it; the ledger does. */
    @ParameterizedTest
    @ValueSource(strings = {"", "COMMIT; "})
    void commitThatWasCancelledIsUnknownAndTheLedgerKnows(String done) {
        StoreLab cancelled = cancelled("RELEASE SAVEPOINT pigeonhole_guard; " + done);
        MessageKey key = cancelled.keyOf(StoreLab.message());
        assertThatThrownBy(() -> claimAndCommit(cancelled, key)).isInstanceOf(OutcomeUnknownException.class);
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(transaction
                            .claim(cancelled.consumer(), List.of(key), StoreLab.LONG)
                            .claimed())
                    .hasSize(done.isEmpty() ? 1 : 0);
        }
    }

    private StoreLab cancelled(String done) {
        JdbcStore store = JdbcStore.builder(pool)
                .dialect(new MariaDb() {
                    @Override
                    public SessionStatement proveAndCommit() {
                        return new SessionStatement(
                                "",
                                "BEGIN NOT ATOMIC " + done
                                        + "SIGNAL SQLSTATE '70100' SET MYSQL_ERRNO = 1317, MESSAGE_TEXT = 'interrupted'; END");
                    }
                })
                .build();
        return new StoreLab(
                store, store.register(new ConsumerRegistration("it " + UUID.randomUUID(), IdForm.TIME_ORDERED)));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
