package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.jdbc.outbox.AppendListeners;
import io.pigeonhole.jdbc.outbox.Appends;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.transaction.DataSourceTransactions;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import io.pigeonhole.jdbc.transaction.TransactionSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@OnEveryServer
class JdbcTransactionIT {
    private final Workshop workshop;

    JdbcTransactionIT(PostgresServer server) {
        this.workshop = server.sharedSchema();
    }

    @Test
    void handlersRunReadCommittedAndDurableWithTheirOwnLockTimeout() throws SQLException {
        String defaults = "-c default_transaction_isolation=serializable -c default_transaction_read_only=on"
                + " -c synchronous_commit=off -c lock_timeout=7s -c idle_in_transaction_session_timeout=0";
        StoreLab lab = StoreLab.of(workshop.dataSource("&options=" + defaults.replace(" ", "%20")));
        try (InboxTransaction<JdbcContext> transaction = lab.store().begin(Duration.ofSeconds(42))) {
            Connection connection = lab.claimed(transaction).connection();
            assertThat(show(connection, "transaction_isolation")).isEqualTo("read committed");
            assertThat(show(connection, "transaction_read_only")).isEqualTo("off");
            assertThat(show(connection, "synchronous_commit")).isEqualTo("on");
            assertThat(show(connection, "lock_timeout")).isEqualTo("7s");
            assertThat(show(connection, "idle_in_transaction_session_timeout")).isEqualTo("42s");
            transaction.commit();
        }
    }

    /** Servers before version 17 do not know it. */
    @Test
    void transactionTimeoutEndsNoBatch() throws SQLException {
        boolean known = Integer.parseInt(workshop.ask("SHOW server_version_num")) >= 170_000;
        StoreLab lab = StoreLab.of(workshop.dataSource(known ? "&options=-c%20transaction_timeout=1min" : ""));
        try (InboxTransaction<JdbcContext> transaction = lab.begin();
                Statement statement = lab.claimed(transaction).connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT current_setting('transaction_timeout', true)")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo(known ? "0" : null);
        }
    }

    @Test
    void strongerDurabilityThanOursStays() throws SQLException {
        StoreLab lab = StoreLab.of(workshop.dataSource("&options=-c%20synchronous_commit=remote_apply"));
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(show(lab.claimed(transaction).connection(), "synchronous_commit"))
                    .isEqualTo("remote_apply");
        }
    }

    @Test
    void lockTimeoutIsTheHandlersAgainAfterABlockedClaim() throws SQLException {
        StoreLab lab = StoreLab.of(workshop.dataSource("&options=-c%20lock_timeout=7s"));
        MessageKey held = lab.keyOf(StoreLab.message());
        try (InboxTransaction<JdbcContext> duplicate = lab.begin();
                InboxTransaction<JdbcContext> transaction = lab.begin()) {
            duplicate.claim(lab.consumer(), List.of(held), StoreLab.LONG);
            transaction.savepoint();
            assertThatThrownBy(() -> transaction.claim(lab.consumer(), List.of(held), StoreLab.SHORT))
                    .isInstanceOf(ClaimBlockedException.class);
            transaction.rollbackToSavepoint();
            Connection connection = lab.claimed(transaction).connection();
            assertThat(show(connection, "lock_timeout")).isEqualTo("7s");
            transaction.commit();
        }
    }

    @Test
    void statementTimeoutThatIsShorterThanThePatienceBlocksTheClaimToo() {
        StoreLab lab = StoreLab.of(workshop.dataSource("&options=-c%20statement_timeout=100"));
        MessageKey held = lab.keyOf(StoreLab.message());
        try (InboxTransaction<JdbcContext> duplicate = lab.begin();
                InboxTransaction<JdbcContext> transaction = lab.begin()) {
            duplicate.claim(lab.consumer(), List.of(held), StoreLab.LONG);
            assertThatThrownBy(() -> transaction.claim(lab.consumer(), List.of(held), StoreLab.LONG))
                    .isInstanceOf(ClaimBlockedException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"TRANSACTION_SERIALIZABLE,true,true", "TRANSACTION_REPEATABLE_READ,false,false"})
    void poolGetsItsConnectionBackAsItWas(String isolation, boolean readOnly, boolean autoCommit) throws SQLException {
        try (HikariDataSource pool = pool(isolation, readOnly, autoCommit)) {
            StoreLab lab = StoreLab.of(pool);
            Message committed = StoreLab.message();
            Message rolledBack = StoreLab.message();
            String before = settings(pool);

            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction, committed);
                transaction.commit();
            }
            assertThat(settings(pool)).isEqualTo(before);
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                lab.claimed(transaction, rolledBack);
            }
            assertThat(settings(pool)).isEqualTo(before);
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                Connection connection = lab.claimed(transaction, rolledBack).connection();
                assertThatThrownBy(() -> execute(connection, "SELECT 1/0")).isInstanceOf(SQLException.class);
            }
            assertThat(settings(pool)).isEqualTo(before);
            lab.begin().close();
            lab.store().probe();
            lab.store().maintain();
            assertThat(settings(pool)).isEqualTo(before);
            assertThat(lab.isNew(committed)).isFalse();
            assertThat(lab.isNew(rolledBack)).isTrue();
        }
    }

    private HikariDataSource pool(String isolation, boolean readOnly, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(workshop.url());
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(5_000);
        config.setTransactionIsolation(isolation);
        config.setReadOnly(readOnly);
        config.setAutoCommit(autoCommit);
        return new HikariDataSource(config);
    }

    private static String settings(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT string_agg(name || '=' || setting, ' ' ORDER BY name)"
                        + " || ' xact=' || (SELECT state FROM pg_stat_activity WHERE pid = pg_backend_pid())"
                        + " FROM pg_settings WHERE name LIKE '%timeout' OR name LIKE '%transaction%'"
                        + " OR name = 'synchronous_commit'")) {
            row.next();
            String settings = connection.getAutoCommit() + " " + connection.isReadOnly() + " "
                    + connection.getTransactionIsolation() + " " + row.getString(1);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return settings;
        }
    }

    @Test
    void errorThatAHandlerSwallowedIsFoundAtTheCommit() {
        StoreLab lab = lab();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction, message).connection();
            assertThatThrownBy(() -> execute(connection, "INSERT INTO effect (text) VALUES (1/0)"))
                    .isInstanceOf(SQLException.class);
            assertThat(refused(transaction::commit).errorClass()).isEqualTo(ErrorClass.ABORTED);
        }
        assertThat(lab.isNew(message)).isTrue();
    }

    @Test
    void errorThatAHandlerSwallowedIsFoundAtTheNextSavepoint() {
        StoreLab lab = lab();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            transaction.savepoint();
            assertThatThrownBy(() -> execute(connection, "SELECT 1/0")).isInstanceOf(SQLException.class);
            assertThat(refused(transaction::savepoint).errorClass()).isEqualTo(ErrorClass.ABORTED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "ROLLBACK", "COMMIT; BEGIN"})
    void endOfTheTransactionInSqlIsFoundAtTheCommit(String sql) throws SQLException {
        StoreLab lab = lab();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            execute(StoreLab.driversOwn(lab.claimed(transaction).connection()), sql);
            assertThatThrownBy(transaction::commit)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("a handler ended the transaction by itself");
        }
    }

    @Test
    void endOfTheTransactionInSqlIsFoundAtTheNextSavepoint() throws SQLException {
        StoreLab lab = lab();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.savepoint();
            execute(StoreLab.driversOwn(lab.claimed(transaction).connection()), "COMMIT");
            assertThatThrownBy(transaction::savepoint).isInstanceOf(ConfigurationException.class);
        }
    }

    @Test
    void deferredConstraintThatFailsAtTheCommitIsADefiniteRollback() throws SQLException {
        StoreLab lab = lab();
        createParentAndChild();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            execute(lab.claimed(transaction, message).connection(), "INSERT INTO child VALUES (4711)");
            assertThat(refused(transaction::commit).errorClass()).isEqualTo(ErrorClass.MESSAGE);
        }
        assertThat(lab.isNew(message)).isTrue();
    }

    @Test
    void deferredConstraintCanBeAskedEarlierAndStaysDeferred() throws SQLException {
        StoreLab lab = lab();
        createParentAndChild();
        long id = ThreadLocalRandom.current().nextLong(1L << 40);
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            transaction.savepoint();
            execute(connection, "INSERT INTO child VALUES (-1)");
            assertThat(refused(transaction::checkConstraints).errorClass()).isEqualTo(ErrorClass.MESSAGE);
            transaction.rollbackToSavepoint();
            execute(connection, "INSERT INTO parent VALUES (" + id + ")");
            transaction.checkConstraints();
            // First the child, then its parent: only a constraint that is still deferred allows it.
            execute(connection, "INSERT INTO child VALUES (" + id + " + 1)");
            execute(connection, "INSERT INTO parent VALUES (" + id + " + 1)");
            transaction.commit();
        }
    }

    private void createParentAndChild() {
        workshop.execute("CREATE TABLE IF NOT EXISTS parent (id bigint PRIMARY KEY)");
        workshop.execute("CREATE TABLE IF NOT EXISTS child"
                + " (parent_id bigint REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
    }

    @Test
    void connectionThatIsLostAtTheCommitLeavesTheOutcomeOpenAndThePoolHealthy() throws SQLException {
        try (HikariDataSource pool = pool("TRANSACTION_READ_COMMITTED", false, true)) {
            StoreLab lab = StoreLab.of(pool);
            Message message = StoreLab.message();
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                terminate(lab.claimed(transaction, message).connection());
                assertThatThrownBy(transaction::commit).isInstanceOf(OutcomeUnknownException.class);
            }
            assertThat(lab.isNew(message)).isTrue();
        }
    }

    @Test
    void connectionThatIsLostBeforeTheCommitIsNobodysFailure() throws SQLException {
        try (HikariDataSource pool = pool("TRANSACTION_READ_COMMITTED", false, true)) {
            StoreLab lab = StoreLab.of(pool);
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                terminate(lab.claimed(transaction).connection());
                assertThat(refused(() -> transaction.known(lab.consumer(), List.of(lab.keyOf(StoreLab.message()))))
                                .errorClass())
                        .isEqualTo(ErrorClass.UNAVAILABLE);
            }
            lab.begin().close();
            lab.store().probe();
        }
    }

    @Test
    void idleTransactionIsEndedAndSaysSo() {
        StoreLab lab = lab();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.store().begin(Duration.ofMillis(100))) {
            lab.claimed(transaction, message);
            // Waits until the server has ended it: then the claim is free.
            assertThat(lab.isNew(message)).isTrue();
            assertThatThrownBy(transaction::commit)
                    .satisfies(e -> assertThat(lab.store().classify(e)).isEqualTo(ErrorClass.ABORTED));
        }
    }

    @Test
    void deadlockIsToldAsSuch() throws Exception {
        StoreLab lab = lab();
        workshop.execute("CREATE TABLE IF NOT EXISTS account (id text PRIMARY KEY, balance bigint)");
        workshop.execute("INSERT INTO account VALUES ('a', 0), ('b', 0) ON CONFLICT DO NOTHING");
        InboxTransaction<JdbcContext> two = lab.begin();
        try (two;
                InboxTransaction<JdbcContext> one = lab.begin()) {
            Connection first = lab.claimed(one).connection();
            Connection second = lab.claimed(two).connection();
            execute(first, "UPDATE account SET balance = balance + 1 WHERE id = 'a'");
            execute(second, "UPDATE account SET balance = balance + 1 WHERE id = 'b'");
            CompletableFuture<Throwable> other = CompletableFuture.supplyAsync(
                    () -> failure(first, "UPDATE account SET balance = 9 WHERE id = 'b'"), OwnThread.FOR_EACH);
            Throwable own = failure(second, "UPDATE account SET balance = 9 WHERE id = 'a'");
            if (own instanceof AssertionError) {
                two.close();
                own = other.get(20, TimeUnit.SECONDS);
            }
            assertThat(lab.store().classify(own)).isEqualTo(ErrorClass.RETRY_NOW);
        }
    }

    @Test
    void databaseThatCannotBeReachedIsUnavailable() {
        DataSource nowhere = PostgresServers.dataSource("jdbc:postgresql://127.0.0.1:1/nowhere?user=postgres");
        assertThatThrownBy(() -> JdbcStore.create(nowhere)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void whateverIsThrownAtTheBeginningGivesTheConnectionBack() throws SQLException {
        try (Connection connection = workshop.dataSource().getConnection()) {
            OutOfMemoryError thrown = new OutOfMemoryError("once");
            TransactionSource transactions = new TransactionSource(new DataSourceTransactions(() -> connection), null);
            Appends appends = Appends.of(new Statements(List.of()), null, new AppendListeners());
            assertThatThrownBy(() ->
                            JdbcTransaction.open(transactions, (consumer, key) -> false, appends, (own, begun) -> {
                                throw thrown;
                            }))
                    .isSameAs(thrown);
            assertThat(connection.isClosed()).isTrue();
        }
    }

    @Test
    void callersOwnConnectionMustNotCommitByItself() throws SQLException {
        StoreLab lab = lab();
        try (Connection connection = workshop.dataSource().getConnection()) {
            assertThatThrownBy(
                            () -> lab.store().ledger(connection).claim(lab.consumer(), lab.keyOf(StoreLab.message())))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    private StoreLab lab() {
        return StoreLab.of(workshop.dataSource());
    }

    private void terminate(Connection connection) throws SQLException {
        workshop.execute("SELECT pg_terminate_backend(?, 10000)", Integer.valueOf(pid(connection)));
    }

    private static String pid(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getString(1);
        }
    }

    private static String show(Connection connection, String setting) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT current_setting('" + setting + "')")) {
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

    private static StoreException refused(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(StoreException.class);
        return (StoreException) thrown;
    }
}
