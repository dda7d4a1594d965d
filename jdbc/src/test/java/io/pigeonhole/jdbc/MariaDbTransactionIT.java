package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.WorkItem;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is special about transactions on MariaDB: they go on after errors, and a definition ends them unasked. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.MariaDbServers#all")
class MariaDbTransactionIT {
    private static final FailedAttempt ATTEMPT =
            new FailedAttempt(1, "node", Duration.ofMillis(5), "java.lang.Exception", "it failed", "at a line");

    private final Workshop workshop;

    MariaDbTransactionIT(MariaDbServer server) {
        this.workshop = server.sharedSchema();
    }

    private StoreLab lab() {
        return StoreLab.of(workshop.dataSource());
    }

    @Test
    void handlersRunReadCommittedWithTheirOwnLockTimeoutAndALimitForIdleness() throws SQLException {
        StoreLab lab = lab();
        try (InboxTransaction<JdbcContext> transaction = lab.store().begin(Duration.ofSeconds(42))) {
            Connection connection = lab.claimed(transaction).connection();
            assertThat(ask(connection, "SELECT @@innodb_lock_wait_timeout")).isEqualTo("50");
            assertThat(ask(connection, "SELECT @@idle_transaction_timeout")).isEqualTo("42");
            assertThat(ask(
                            connection,
                            "SELECT trx_isolation_level FROM information_schema.innodb_trx"
                                    + " WHERE trx_mysql_thread_id = CONNECTION_ID()"))
                    .isEqualTo("READ COMMITTED");
            transaction.commit();
        }
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTION_SERIALIZABLE,true,true", "TRANSACTION_REPEATABLE_READ,false,false"})
    void poolGetsItsConnectionBackAsItWas(String isolation, boolean readOnly, boolean autoCommit) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(workshop.dataSource());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(5_000);
        config.setTransactionIsolation(isolation);
        config.setReadOnly(readOnly);
        config.setAutoCommit(autoCommit);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            StoreLab lab = StoreLab.of(pool);
            Message rolledBack = StoreLab.message();
            String before = settings(pool);
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction);
                transaction.commit();
            }
            assertThat(settings(pool)).isEqualTo(before);
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                Connection connection = lab.claimed(transaction, rolledBack).connection();
                assertThatThrownBy(() -> execute(connection, "SELECT * FROM nowhere"))
                        .isInstanceOf(SQLException.class);
            }
            assertThat(settings(pool)).isEqualTo(before);
            lab.begin().close();
            lab.store().probe();
            lab.store().maintain();
            assertThat(settings(pool)).isEqualTo(before);
            assertThat(lab.isNew(rolledBack)).isTrue();
        }
    }

    private static String settings(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            String settings = connection.getAutoCommit() + " " + connection.isReadOnly() + " "
                    + connection.getTransactionIsolation() + " "
                    + ask(
                            connection,
                            "SELECT CONCAT_WS(' ', @@autocommit, @@tx_isolation,"
                                    + " @@innodb_lock_wait_timeout, @@idle_transaction_timeout, @@lock_wait_timeout,"
                                    + " @@in_transaction)");
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return settings;
        }
    }

    @Test
    void lockTimeoutIsTheHandlersAgainAfterABlockedClaim() throws SQLException {
        StoreLab lab = lab();
        MessageKey held = lab.keyOf(StoreLab.message());
        try (InboxTransaction<JdbcContext> duplicate = lab.begin();
                InboxTransaction<JdbcContext> transaction = lab.begin()) {
            duplicate.claim(lab.consumer(), List.of(held), StoreLab.LONG);
            transaction.savepoint();
            assertThatThrownBy(() -> transaction.claim(lab.consumer(), List.of(held), StoreLab.SHORT))
                    .isInstanceOf(ClaimBlockedException.class);
            transaction.rollbackToSavepoint();
            Connection connection = lab.claimed(transaction).connection();
            assertThat(ask(connection, "SELECT @@innodb_lock_wait_timeout")).isEqualTo("50");
            transaction.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"COMMIT", "ROLLBACK", "CREATE TABLE IF NOT EXISTS made (id int)", "TRUNCATE TABLE moved_by"})
    void endOfTheTransactionInSqlIsFoundAtTheCommit(String sql) throws SQLException {
        workshop.execute("CREATE TABLE IF NOT EXISTS moved_by (id int)");
        StoreLab lab = lab();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            execute(StoreLab.driversOwn(lab.claimed(transaction).connection()), sql);
            assertThatThrownBy(transaction::commit)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("a handler ended the transaction by itself");
        }
    }

    @Test
    void statementsThatCommitByThemselvesAreRefusedBefore() {
        StoreLab lab = lab();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction, message).connection();
            assertThatThrownBy(() -> execute(connection, "CREATE TABLE made (id int)"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the engine ends the transaction");
        }
        assertThat(lab.isNew(message)).isTrue();
    }

    @Test
    void handlerThatHidesADeadlockLosesItsTransactionAndNotItsMessage() throws Exception {
        StoreLab lab = lab();
        String table = "account_" + UUID.randomUUID().toString().replace('-', '_');
        workshop.execute("CREATE TABLE " + table + " (id varchar(9) PRIMARY KEY, balance bigint)");
        workshop.execute("INSERT INTO " + table + " VALUES ('a', 0), ('b', 0)");
        Message mine = StoreLab.message();
        Message others = StoreLab.message();
        try (InboxTransaction<JdbcContext> one = lab.begin();
                InboxTransaction<JdbcContext> two = lab.begin()) {
            Connection first = lab.claimed(one, mine).connection();
            Connection second = lab.claimed(two, others).connection();
            execute(first, "UPDATE " + table + " SET balance = 1 WHERE id = 'a'");
            execute(second, "UPDATE " + table + " SET balance = 1 WHERE id = 'b'");
            CompletableFuture<Throwable> waiting = CompletableFuture.supplyAsync(
                    () -> failure(first, "UPDATE " + table + " SET balance = 2 WHERE id = 'b'"), OwnThread.FOR_EACH);
            Throwable own = failure(second, "UPDATE " + table + " SET balance = 2 WHERE id = 'a'");
            boolean secondLost = own instanceof SQLException;
            if (!secondLost) {
                two.commit();
            }
            Throwable other = waiting.get(20, TimeUnit.SECONDS);
            Throwable deadlock = secondLost ? own : other;
            assertThat(lab.store().classify(deadlock)).isEqualTo(ErrorClass.RETRY_NOW);
            InboxTransaction<JdbcContext> loser = secondLost ? two : one;
            StoreException refused = (StoreException) catchThrowable(loser::commit);
            assertThat(refused.errorClass()).isEqualTo(ErrorClass.ABORTED);
            loser.close();
            assertThat(lab.isNew(secondLost ? others : mine)).isTrue();
        }
    }

    /** The server undoes the statement that waited in vain and nothing else: what was written before it would be committed. */
    @Test
    @Tag("F18")
    void handlerThatHidesALockTimeoutLosesItsTransactionAndNotItsMessage() throws SQLException {
        StoreLab lab = lab();
        String table = "held_" + UUID.randomUUID().toString().replace('-', '_');
        workshop.execute("CREATE TABLE " + table + " (id varchar(9) PRIMARY KEY, balance bigint)");
        workshop.execute("INSERT INTO " + table + " VALUES ('a', 0), ('b', 0)");
        Message message = StoreLab.message();
        try (Connection inTheWay = workshop.dataSource().getConnection();
                InboxTransaction<JdbcContext> transaction = lab.begin()) {
            inTheWay.setAutoCommit(false);
            execute(inTheWay, "UPDATE " + table + " SET balance = 1 WHERE id = 'b'");
            Connection connection = lab.claimed(transaction, message).connection();
            execute(connection, "UPDATE " + table + " SET balance = 2 WHERE id = 'a'");
            assertThat(failure(
                            connection,
                            "SET STATEMENT innodb_lock_wait_timeout = 1 FOR UPDATE " + table + " SET balance = 2"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(1205));
            StoreException refused = (StoreException) catchThrowable(transaction::commit);
            assertThat(refused.errorClass()).isEqualTo(ErrorClass.ABORTED);
            inTheWay.rollback();
        }
        assertThat(workshop.askAll("SELECT balance FROM " + table + " ORDER BY id"))
                .containsExactly("0", "0");
        assertThat(lab.isNew(message)).isTrue();
    }

    /** No error comes out of the procedure, but the transaction is gone. */
    @Test
    @Tag("F18")
    void deadlockThatAProcedureHidesIsFoundAtTheCommit() throws Exception {
        StoreLab lab = lab();
        String table = "hidden_" + UUID.randomUUID().toString().replace('-', '_');
        workshop.execute("CREATE TABLE " + table + " (id varchar(9) PRIMARY KEY, balance bigint)");
        workshop.execute("INSERT INTO " + table + " VALUES ('a', 0), ('b', 0)");
        workshop.execute("CREATE PROCEDURE change_" + table + " (row_id varchar(9), to_value bigint) BEGIN"
                + " DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;"
                + " UPDATE " + table + " SET balance = to_value WHERE id = row_id; END");
        Message mine = StoreLab.message();
        Message others = StoreLab.message();
        Throwable ofFirst;
        Throwable ofSecond;
        try (InboxTransaction<JdbcContext> one = lab.begin();
                InboxTransaction<JdbcContext> two = lab.begin()) {
            Connection first = lab.claimed(one, mine).connection();
            Connection second = lab.claimed(two, others).connection();
            execute(first, "CALL change_" + table + "('a', 1)");
            execute(second, "CALL change_" + table + "('b', 2)");
            CompletableFuture<Throwable> waiting = CompletableFuture.supplyAsync(
                    () -> failure(first, "CALL change_" + table + "('b', 1)"), OwnThread.FOR_EACH);
            failure(second, "CALL change_" + table + "('a', 2)");
            ofSecond = catchThrowable(two::commit);
            waiting.get(20, TimeUnit.SECONDS);
            ofFirst = catchThrowable(one::commit);
        }
        assertThat(ofFirst == null).isNotEqualTo(ofSecond == null);
        assertThat(lab.isNew(mine)).isEqualTo(ofFirst != null);
        assertThat(lab.isNew(others)).isEqualTo(ofSecond != null);
        String winner = ofFirst == null ? "1" : "2";
        assertThat(workshop.askAll("SELECT balance FROM " + table)).containsExactly(winner, winner);
    }

    /**
     * Until the server has purged the deleted entry of a key, an insert of the same key locks the next entry of the index too,
     * which may be one of another consumer.
     */
    @Test
    void deadLetterThatComesAgainWaitsNotLongForAStalledTransactionOfAnotherConsumer() throws Exception {
        StoreLab lab = lab();
        StoreLab other = lab();
        Message message = StoreLab.message();
        MessageKey key = lab.keyOf(message);
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction, message);
            transaction.park(lab.consumer(), List.of(parked(key, message)));
            transaction.commit();
        }
        try (Connection purgesNothing = workshop.dataSource().getConnection()) {
            execute(purgesNothing, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            execute(purgesNothing, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
            deadLetter(lab);
            Message stalled = StoreLab.message();
            try (InboxTransaction<JdbcContext> transaction = other.begin()) {
                other.claimed(transaction, stalled);
                transaction.park(other.consumer(), List.of(parked(other.keyOf(stalled), stalled)));
                CompletableFuture<Throwable> refused = CompletableFuture.supplyAsync(
                        () -> catchThrowable(() -> reopened(lab, key)), OwnThread.FOR_EACH);
                assertThat(refused.get(20, TimeUnit.SECONDS))
                        .isInstanceOfSatisfying(
                                StoreException.class,
                                e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.RETRY_NOW));
                transaction.commit();
            }
            assertThat(reopened(lab, key)).containsExactly(key);
        }
    }

    private static ParkedMessage parked(MessageKey key, Message message) {
        return new ParkedMessage(key, message, Duration.ofHours(1), ATTEMPT);
    }

    private void deadLetter(StoreLab lab) {
        String id = workshop.ask(
                "SELECT id FROM inbox_work WHERE consumer_id = ?",
                lab.consumer().id());
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            WorkItem item = transaction
                    .retake(lab.consumer(), List.of(Long.valueOf(id)))
                    .get(0);
            DeadReason reason = DeadReason.RETRIES_EXHAUSTED;
            transaction.deadLetter(
                    lab.consumer(),
                    List.of(new DeadLetter(item.key(), item.message(), reason, "for a test", true, ATTEMPT, item)));
            transaction.commit();
        }
    }

    private static Set<MessageKey> reopened(StoreLab lab, MessageKey key) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(lab.consumer(), List.of(key), StoreLab.LONG);
            Set<MessageKey> reopened = transaction.reopen(lab.consumer(), List.of(key));
            transaction.commit();
            return reopened;
        }
    }

    @Test
    void errorOfOneStatementCostsOnlyThat() throws SQLException {
        StoreLab lab = lab();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction, message).connection();
            assertThatThrownBy(() -> execute(connection, "INSERT INTO nowhere VALUES (1)"))
                    .isInstanceOf(SQLException.class);
            execute(connection, "INSERT INTO effect (text) VALUES ('after an error')");
            transaction.commit();
        }
        assertThat(lab.isNew(message)).isFalse();
    }

    @Test
    void idleTransactionIsEndedAndSaysSo() {
        StoreLab lab = lab();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.store().begin(Duration.ofMillis(100))) {
            lab.claimed(transaction, message);
            assertThat(lab.isNew(message)).isTrue();
            assertThatThrownBy(transaction::commit)
                    .satisfies(e -> assertThat(lab.store().classify(e)).isEqualTo(ErrorClass.ABORTED));
        }
    }

    @Test
    void connectionThatIsLostBeforeTheCommitIsNobodysFailure() throws SQLException {
        StoreLab lab = lab();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            workshop.execute("KILL " + ask(lab.claimed(transaction, message).connection(), "SELECT CONNECTION_ID()"));
            // The proof goes with the COMMIT, so that nobody knows; on MySQL it goes before.
            assertThatThrownBy(transaction::commit)
                    .isInstanceOfAny(OutcomeUnknownException.class, StoreException.class)
                    .satisfies(e -> assertThat(lab.store().classify(e)).isEqualTo(ErrorClass.UNAVAILABLE));
        }
        assertThat(lab.isNew(message)).isTrue();
    }

    @Test
    void deferredStatementsThatTheDriverCannotSendInBulkAreSentSingly() {
        StoreLab lab = lab();
        List<Message> messages = List.of(StoreLab.message(), StoreLab.message());
        String text = "selected " + UUID.randomUUID();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(
                    lab.consumer(), messages.stream().map(lab::keyOf).sorted().toList(), StoreLab.LONG);
            for (Message message : messages) {
                transaction
                        .context(lab.consumer(), lab.keyOf(message), message, 1)
                        .deferExpecting(1, "INSERT INTO effect (text) SELECT ? FROM inbox_ledger_bounds", text);
            }
            transaction.commit();
        }
        assertThat(workshop.askAll("SELECT text FROM effect WHERE text = ?", text))
                .hasSize(2);
    }

    @Test
    void streamsOfStatementsThatTheDriverCannotSendInBulkKeepWhatTheySay() {
        String run = UUID.randomUUID().toString();
        Inbox<JdbcContext> inbox = Inbox.builder("streams " + run, lab().store())
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    for (int i = 1; i <= payload.length(); i++) {
                        context.defer(
                                "INSERT INTO effect (text) SELECT ? FROM inbox_ledger_bounds",
                                new StringReader(run + " " + payload + i));
                    }
                })
                .build();

        assertThat(inbox.process(List.of(keyed("a", "a"), keyed("b", "bb"), keyed("c", "c"))))
                .extracting(Outcome::kind)
                .containsOnly(Outcome.Kind.PROCESSED);
        assertThat(workshop.askAll("SELECT text FROM effect WHERE text LIKE ?", run + "%"))
                .containsExactlyInAnyOrder(run + " a1", run + " bb1", run + " bb2", run + " c1");
    }

    @Test
    void keyOfADayIsInThatDaysPartition() {
        StoreLab lab = lab();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction);
            transaction.commit();
        }
        List<String> partitions = workshop.askAll("SELECT partition_name FROM information_schema.partitions"
                + " WHERE table_schema = DATABASE() AND table_name = 'inbox_ledger'"
                + " ORDER BY partition_ordinal_position");
        assertThat(partitions).hasSize(11).endsWith("gap", "digest");
        assertThat(partitions.get(0)).matches("p\\d{8}");
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Throwable failure(Connection connection, String sql) {
        try {
            execute(connection, sql);
            return new AssertionError("none");
        } catch (SQLException e) {
            return e;
        }
    }

    @Test
    @Tag("A1")
    void settingOfAHandlerLimitsNoneOfOurAnswers() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(workshop.dataSource());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Inbox<JdbcContext> inbox = Inbox.builder("session " + UUID.randomUUID(), JdbcStore.create(pool))
                    .order(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        if (payload.equals("fails")) {
                            throw new IllegalStateException("no");
                        }
                        SessionLab.execute(context, "SET sql_select_limit = 1");
                    })
                    .build();
            inbox.process(List.of(keyed("k1", "fails"), keyed("k2", "fails")));
            inbox.process(List.of(keyed("k3", "sets")));

            List<Message> behind = List.of(keyed("k1", "behind"), keyed("k2", "behind"));

            assertThat(inbox.process(behind)).extracting(Outcome::kind).containsOnly(Outcome.Kind.RECEIVED);
            assertThat(inbox.process(behind)).extracting(Outcome::kind).containsOnly(Outcome.Kind.DUPLICATE);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET sql_select_limit = 0",
                "SET @pigeonhole_wait = 'never'",
                "SET @pigeonhole_idle = 'never'",
                "SET @pigeonhole_statement = 'never'"
            })
    @Tag("A1")
    void connectionThatAHandlerLeavesInAnyStateIsAsBeforeOrEnded(String change) throws SQLException {
        String settings = "SELECT CONCAT_WS(' ', @@sql_select_limit, @@max_statement_time, @@idle_transaction_timeout,"
                + " @@innodb_lock_wait_timeout) LIMIT 1";
        HikariConfig config = new HikariConfig();
        config.setDataSource(workshop.dataSource());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Inbox<JdbcContext> inbox = Inbox.builder("session " + UUID.randomUUID(), JdbcStore.create(pool))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> SessionLab.execute(context, change))
                    .build();
            String before;
            try (Connection connection = pool.getConnection()) {
                before = SessionLab.ask(connection, settings);
            }

            assertThat(inbox.process(keyed("k", "sets")).settled()).isTrue();

            try (Connection connection = pool.getConnection()) {
                assertThat(SessionLab.ask(connection, settings)).isEqualTo(before);
            }
        }
    }

    private static Message keyed(String key, String payload) {
        return Message.builder("notes")
                .id(UUID.randomUUID().toString())
                .type("note")
                .orderingKey(key)
                .payload(payload)
                .build();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ANALYZE LOCAL TABLE effect",
                "FLUSH TABLES",
                "CHECK TABLE effect",
                "SET STATEMENT max_statement_time = 9 FOR COMMIT",
                "EXECUTE IMMEDIATE 'COMMIT'",
                "SET `autocommit` = 1"
            })
    @Tag("A3")
    void statementThatWouldCommitCostsItsOwnMessageOnly(String sql) {
        Inbox<JdbcContext> inbox = Inbox.builder("ends " + UUID.randomUUID(), lab().store())
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.equals("ends")) {
                        SessionLab.execute(context, sql);
                    }
                })
                .build();

        assertThat(inbox.process(List.of(keyed("a", "first"), keyed("b", "ends"), keyed("c", "third"))))
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.PROCESSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SET character_set_connection = latin1", "SET collation_connection = ascii_bin"})
    void setOfCharactersThatAHandlerChoosesSpoilsNothingOfOurs(String change) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(workshop.dataSource());
        config.setMaximumPoolSize(1);
        String sets =
                "SELECT CONCAT_WS(' ', @@character_set_client, @@character_set_connection, @@collation_connection,"
                        + " @@character_set_results)";
        try (HikariDataSource pool = new HikariDataSource(config)) {
            String consumer = "characters " + UUID.randomUUID();
            Inbox<JdbcContext> inbox = Inbox.builder(consumer, JdbcStore.create(pool))
                    .handle("支付", PayloadDecoder.text(), (payload, context) -> {
                        SessionLab.execute(context, change);
                        throw new IllegalStateException("once");
                    })
                    .build();
            String before;
            try (Connection connection = pool.getConnection()) {
                before = SessionLab.ask(connection, sets);
            }

            assertThat(inbox.process(Message.builder("notes")
                                    .id(consumer)
                                    .type("支付")
                                    .payload("a")
                                    .build())
                            .kind())
                    .isEqualTo(Outcome.Kind.PARKED);

            try (Connection connection = pool.getConnection()) {
                assertThat(SessionLab.ask(connection, sets)).isEqualTo(before);
            }
            assertThat(workshop.askAll("SELECT type FROM inbox_work WHERE message_id = ?", consumer))
                    .containsExactly("支付");
        }
    }

    @Test
    void temporaryTableOfAHandlerThatRunsAgainIsInNobodysWay() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setDataSource(workshop.dataSource());
        config.setMaximumPoolSize(1);
        List<String> runs = new CopyOnWriteArrayList<>();
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Inbox<JdbcContext> inbox = Inbox.builder("temporary " + UUID.randomUUID(), JdbcStore.create(pool))
                    .handle("note", PayloadDecoder.text(), (payload, context) -> {
                        assertThatThrownBy(() -> SessionLab.execute(context, "CREATE TEMPORARY TABLE step (id int)"))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("CREATE OR REPLACE TEMPORARY TABLE");
                        SessionLab.execute(
                                context,
                                "CREATE OR REPLACE TEMPORARY TABLE step (id int)",
                                "INSERT INTO step VALUES (1)");
                        runs.add(SessionLab.ask(context.connection(), "SELECT COUNT(*) FROM step"));
                        if (runs.size() == 1) {
                            throw new SQLTransactionRollbackException("deadlock", "40001", 1213);
                        }
                        SessionLab.execute(context, "DROP TEMPORARY TABLE step");
                    })
                    .build();

            assertThat(inbox.process(List.of(keyed("k", "a"), keyed("l", "b"))))
                    .extracting(Outcome::kind)
                    .containsOnly(Outcome.Kind.PROCESSED);
            assertThat(runs).containsExactly("1", "1", "1");
        }
    }
}
