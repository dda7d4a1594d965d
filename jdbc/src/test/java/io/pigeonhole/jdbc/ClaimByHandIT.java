package io.pigeonhole.jdbc;

import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.jdbc.postgresql.KnownDays;
import io.pigeonhole.jdbc.postgresql.PostgresCallerClaims;
import io.pigeonhole.jdbc.postgresql.PostgresDatabase;
import io.pigeonhole.jdbc.postgresql.PostgresTexts;
import io.pigeonhole.jdbc.postgresql.PostgresValues;
import io.pigeonhole.jdbc.sql.Statements;
import io.pigeonhole.jdbc.transaction.CallerLedger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a claim in a caller's transaction waits for, and what it leaves behind in the caller's session. */
@OnEveryServer
class ClaimByHandIT {
    private static final Duration SHORT_WAIT = Duration.ofSeconds(1);

    private final Workshop workshop;
    private final StoreLab lab;
    private final KnownDays days = new KnownDays(System::nanoTime);

    ClaimByHandIT(PostgresServer server) {
        workshop = server.sharedSchema();
        lab = StoreLab.of(workshop.dataSource());
    }

    private Connection begin() throws SQLException {
        Connection connection = workshop.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private boolean claim(Connection connection, MessageKey key) {
        return ledger(connection, SHORT_WAIT)
                .claim(lab.consumer(), key)
                .claimed()
                .contains(key);
    }

    /** Of a program that knows the ledger's days. */
    private CallerLedger ledger(Connection connection, Duration longestWait) {
        return ledger(connection, longestWait, days);
    }

    private static CallerLedger ledger(Connection connection, Duration longestWait, KnownDays days) {
        return new CallerLedger(
                connection,
                new Statements(PostgresDatabase.STATEMENTS),
                new PostgresValues(connection),
                new PostgresCallerClaims(
                        connection, longestWait, days, new PostgresTexts(new Statements(PostgresDatabase.STATEMENTS))));
    }

    private static String lockTimeout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW lock_timeout")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void claimWaitsForATransactionThatStaysOpenOnlyForItsLimit() throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (Connection first = begin();
                Connection second = begin()) {
            assertThat(claim(first, key)).isTrue();

            assertThatThrownBy(() -> claim(second, key))
                    .isInstanceOfSatisfying(
                            ClaimBlockedException.class,
                            e -> assertThat(e.errorClass()).isEqualTo(ErrorClass.RETRY_NOW))
                    .hasMessageContaining("1 s")
                    .hasMessageContaining("Roll back");
            second.rollback();
            first.rollback();

            assertThat(claim(second, key)).isTrue();
            second.rollback();
        }
    }

    /** As by VACUUM FULL: such a table is waited for before a statement is executed. */
    @Test
    void claimWaitsForALockedTableOnlyForItsLimit() throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (Connection other = begin();
                Statement statement = other.createStatement();
                Connection caller = begin()) {
            statement.execute("LOCK TABLE inbox_ledger IN ACCESS EXCLUSIVE MODE");

            assertBlocked(() -> claim(caller, key));
        }
    }

    @Test
    void handlerMayClaimByHandOnItsConnection() {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            assertThat(claim(context.connection(), key)).isTrue();
            assertThat(claim(context.connection(), key)).isFalse();
            transaction.commit();
        }
    }

    @Test
    void limitOfTheCallersSessionHoldsInsteadOfOurs() throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (Connection first = begin();
                Connection second = begin();
                Statement statement = second.createStatement()) {
            assertThat(claim(first, key)).isTrue();
            statement.execute("SET LOCAL lock_timeout = '50ms'");

            assertThatThrownBy(() -> ledger(second, Duration.ofDays(1)).claim(lab.consumer(), key))
                    .isInstanceOf(ClaimBlockedException.class);
            second.rollback();
            first.rollback();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shorterLimitOfTheCallersDriverHoldsInsteadOfOurs(boolean knowsTheDays) throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (Connection first = begin();
                Connection second = workshop.dataSource("&queryTimeout=1").getConnection()) {
            assertThat(claim(first, key)).isTrue();
            second.setAutoCommit(false);
            KnownDays known = knowsTheDays ? days : new KnownDays(System::nanoTime);

            assertBlocked(() -> ledger(second, Duration.ofDays(1), known).claim(lab.consumer(), key));
            second.rollback();
            first.rollback();
        }
    }

    @Test
    void ourLimitHoldsInsteadOfALongerOneOfTheCallersDriver() throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (Connection first = begin();
                Connection second = workshop.dataSource("&queryTimeout=600").getConnection()) {
            assertThat(claim(first, key)).isTrue();
            second.setAutoCommit(false);

            assertBlocked(() -> claim(second, key));
            second.rollback();
            first.rollback();
        }
    }

    @Test
    void callersSessionIsAsBeforeBehindAClaim() throws SQLException {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (Connection connection = begin();
                Statement statement = connection.createStatement()) {
            assertThat(claim(connection, key)).isTrue();
            assertThat(lockTimeout(connection)).isEqualTo("0");
            assertThat(claim(connection, key)).isFalse();
            assertThat(lockTimeout(connection)).isEqualTo("0");

            statement.execute("SET LOCAL lock_timeout = '7s'");
            assertThat(claim(connection, lab.keyOf(StoreLab.message()))).isTrue();
            assertThat(lockTimeout(connection)).isEqualTo("7s");
            connection.rollback();
        }
    }

    /** That a claim waits in vain for another one of the same key. */
    private static void assertBlocked(Supplier<?> claim) {
        assertThat(supplyAsync(claim, OwnThread.FOR_EACH))
                .failsWithin(StoreLab.LONG)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(ClaimBlockedException.class);
    }
}
