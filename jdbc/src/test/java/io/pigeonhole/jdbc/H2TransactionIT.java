package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.jdbc.dialect.H2;
import io.pigeonhole.jdbc.generic.PlainBoundary;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.mvstore.tx.Transaction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is special about transactions on H2. */
class H2TransactionIT {
    /** A status of the driver's {@link Transaction}. */
    private static final int ROLLING_BACK = 4;

    private static JdbcDataSource inMemory(String options) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:transactions;DB_CLOSE_DELAY=-1" + options);
        return dataSource;
    }

    private static StoreLab lab() {
        Schema.apply(inMemory(""));
        return StoreLab.of(inMemory(""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "ROLLBACK", "CREATE TABLE IF NOT EXISTS made (id int)"})
    void endOfTheTransactionInSqlIsFoundAtTheCommit(String sql) throws SQLException {
        StoreLab lab = lab();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            try (Statement driversOwn = StoreLab.driversOwn(connection).createStatement()) {
                driversOwn.execute(sql);
            }
            assertThatThrownBy(transaction::commit)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("a handler ended the transaction by itself");
        }
    }

    /** Its COMMIT would commit nothing, without an error, and keep its locks for ever. */
    @Test
    void victimOfADeadlockThatIsMarkedWhenItHasItsLockIsToldAtTheCommit() throws Exception {
        StoreLab lab = lab();
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            markAsVictim(StoreLab.driversOwn(lab.claimed(transaction, message).connection()));
            assertThatThrownBy(transaction::commit)
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            refused -> assertThat(refused.errorClass()).isEqualTo(ErrorClass.RETRY_NOW));
        }
        assertThat(lab.isNew(message)).isTrue();
    }

    @Test
    void shortTransactionThatIsMarkedAsVictimIsRepeated() throws SQLException {
        DatabaseServer.execute(inMemory(""), "CREATE TABLE IF NOT EXISTS once (number INT)");
        AtomicInteger runs = new AtomicInteger();

        PlainBoundary.transactions(inMemory("")::getConnection, new H2()).run("a test", session -> {
            try (Statement statement = session.connection().createStatement()) {
                statement.execute("INSERT INTO once VALUES (" + runs.get() + ")");
            }
            if (runs.getAndIncrement() == 0) {
                markAsVictim(session.connection());
            }
            return true;
        });

        try (Connection connection = inMemory("").getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT LISTAGG(number) FROM once")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("1");
        }
    }

    /** What whoever finds a deadlock does with the newest transaction in it. */
    private static void markAsVictim(Connection connection) throws SQLException {
        SessionLocal session =
                (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
        try {
            Method setStatus = Transaction.class.getDeclaredMethod("setStatus", int.class);
            setStatus.setAccessible(true);
            setStatus.invoke(session.getTransaction(), ROLLING_BACK);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this version of H2 marks the victims of deadlocks otherwise", e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ";MODE=PostgreSQL", ";MODE=MariaDB"})
    void modeOfTheConnectionDoesNotMatter(String options) {
        lab();
        StoreLab lab = StoreLab.of(inMemory(options));
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction, message);
            transaction.commit();
        }
        assertThat(lab.isNew(message)).isFalse();
        assertThat(lab.isNew(StoreLab.message())).isTrue();
    }

    @Test
    void nameOfTheSchemaMayHoldBraces() throws SQLException {
        DatabaseServer.execute(inMemory(""), "CREATE SCHEMA IF NOT EXISTS \"sales_{100%}\"");
        JdbcDataSource connections = inMemory(";SCHEMA=\"sales_{100%}\"");
        Schema.apply(connections);
        StoreLab lab = StoreLab.of(connections);
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction, message);
            transaction.commit();
        }
        assertThat(lab.isNew(message)).isFalse();
    }

    @Test
    void lockTimeoutIsTheHandlersAgainAfterAClaim() throws SQLException {
        lab();
        StoreLab lab = StoreLab.of(inMemory(";LOCK_TIMEOUT=7000"));
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(7000);
            }
        }
    }

    @Test
    void connectionThatIsGivenUpComesBackAsItWas() throws SQLException {
        lab();
        HikariConfig config = new HikariConfig();
        config.setDataSource(inMemory(""));
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            StoreLab lab = StoreLab.of(pool);
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                SessionLab.execute(lab.claimed(transaction), "SET LOCK_TIMEOUT 4321");
                ((JdbcTransaction) transaction).giveUp();
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(SessionLab.ask(connection, "SELECT LOCK_TIMEOUT()")).isEqualTo("2000");
            }
        }
    }

    @Test
    void twoThatClaimTheSameKeysDoNotMeetTheirOwnRows() throws Exception {
        StoreLab lab = lab();
        List<MessageKey> keys = List.of(lab.keyOf(StoreLab.message()), lab.keyOf(StoreLab.message()));
        List<MessageKey> sorted = keys.stream().sorted().toList();
        try (InboxTransaction<JdbcContext> duplicate = lab.begin();
                InboxTransaction<JdbcContext> transaction = lab.begin()) {
            duplicate.claim(lab.consumer(), sorted.subList(1, 2), StoreLab.LONG);
            CompletableFuture<Claim> waiting = CompletableFuture.supplyAsync(
                    () -> transaction.claim(lab.consumer(), sorted, StoreLab.LONG), OwnThread.FOR_EACH);
            assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            duplicate.commit();
            assertThat(waiting.get(20, TimeUnit.SECONDS).claimed()).containsExactly(sorted.get(0));
        }
    }

    @Test
    void timeThatAStatementMayTakeEndsWithItsHandler() throws SQLException {
        lab();
        HikariConfig config = new HikariConfig();
        config.setDataSource(inMemory(""));
        config.setMaximumPoolSize(1);
        String settings = "SELECT LISTAGG(SETTING_VALUE, ' ') WITHIN GROUP (ORDER BY SETTING_NAME)"
                + " FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME IN ('QUERY_TIMEOUT', 'TIME ZONE')";
        try (HikariDataSource pool = new HikariDataSource(config)) {
            StoreLab lab = StoreLab.of(pool);
            String before;
            try (Connection connection = pool.getConnection()) {
                before = SessionLab.ask(connection, settings);
            }
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                Connection connection = lab.claimed(transaction).connection();
                try (Statement statement = connection.createStatement()) {
                    statement.setQueryTimeout(1);
                    statement.execute("SET TIME ZONE '-07:00'");
                }
                transaction.endContexts();
                assertThat(SessionLab.ask(lab.claimed(transaction).connection(), settings))
                        .isEqualTo(before);
                transaction.commit();
            }
            lab.store().probe();
            try (Connection connection = pool.getConnection()) {
                assertThat(SessionLab.ask(connection, settings)).isEqualTo(before);
            }
        }
    }
}
