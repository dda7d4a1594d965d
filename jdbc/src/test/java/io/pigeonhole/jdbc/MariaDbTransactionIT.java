package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
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
    private final Workshop workshop;

    MariaDbTransactionIT(MariaDbServer server) {
        this.workshop = server.sharedSchema();
    }

    private StoreLab lab() {
        return StoreLab.of(workshop.dataSource());
    }

    @Test
    void handlersRunReadCommittedWithTheirOwnPatienceAndALimitForIdleness() throws SQLException {
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
    void patienceIsTheHandlersAgainAfterABlockedClaim() throws SQLException {
        StoreLab lab = lab();
        MessageKey held = lab.keyOf(StoreLab.message());
        try (InboxTransaction<JdbcContext> twin = lab.begin();
                InboxTransaction<JdbcContext> transaction = lab.begin()) {
            twin.claim(lab.consumer(), List.of(held), StoreLab.LONG);
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
            execute(driversOwn(lab.claimed(transaction).connection()), sql);
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
            StoreException refused = (StoreException) catchThrowable(transaction::commit);
            assertThat(refused.errorClass()).isEqualTo(ErrorClass.UNAVAILABLE);
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
                        .deferExpecting(1, "INSERT INTO effect (text) SELECT ? FROM inbox_horizon", text);
            }
            transaction.commit();
        }
        assertThat(workshop.askAll("SELECT text FROM effect WHERE text = ?", text))
                .hasSize(2);
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

    /** The only way around the guard: a result set's statement is the driver's own. */
    private static Connection driversOwn(Connection guarded) throws SQLException {
        try (Statement statement = guarded.createStatement();
                ResultSet row = statement.executeQuery("SELECT 1")) {
            return row.getStatement().getConnection();
        }
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
}
