package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Ledger;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Claims in callers' transactions of each isolation level on each database: a key that was accepted is never new, and a level
 * at which that cannot be told is refused.
 */
@Tag("full")
@Tag("A7")
@Tag("F17")
class CallersIsolationIT {
    private static final Author SOMEBODY = new Author("somebody", "the clock is right");
    /** H2 counts it among the levels of JDBC. */
    private static final int SNAPSHOT = 6;

    /** The levels of isolation that JDBC knows. */
    enum Level {
        READ_UNCOMMITTED(Connection.TRANSACTION_READ_UNCOMMITTED),
        READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
        REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE),
        H2_SNAPSHOT(SNAPSHOT);

        final int number;

        Level(int number) {
            this.number = number;
        }
    }

    private static Stream<Arguments> with(Stream<? extends DatabaseServer> servers, Level... levels) {
        return servers.flatMap(server -> Stream.of(levels).map(level -> Arguments.of(server, level)));
    }

    static Stream<Arguments> supported() {
        Level[] ofJdbc = {Level.READ_UNCOMMITTED, Level.READ_COMMITTED, Level.REPEATABLE_READ, Level.SERIALIZABLE};
        return Stream.of(
                        with(PostgresServers.all(), ofJdbc),
                        with(MariaDbServers.all(), ofJdbc),
                        with(Stream.of(H2Server.FILES), Level.READ_COMMITTED))
                .flatMap(each -> each);
    }

    static Stream<Arguments> refused() {
        return with(
                Stream.of(H2Server.FILES),
                Level.READ_UNCOMMITTED,
                Level.REPEATABLE_READ,
                Level.SERIALIZABLE,
                Level.H2_SNAPSHOT);
    }

    static Stream<Arguments> dirtyReads() {
        return with(Stream.concat(MariaDbServers.all(), Stream.of(H2Server.FILES)), Level.READ_UNCOMMITTED);
    }

    /** A transaction of the caller that has read something, so that it may have a view of the tables from here on. */
    private static Connection begin(Workshop workshop, Level level) throws SQLException {
        Connection connection = workshop.dataSource().getConnection();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(level.number);
        execute(connection, "SELECT count(*) FROM effect");
        return connection;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static MessageKey key(StoreLab lab) {
        Instant created = Instant.now().plusSeconds(1);
        UUID random = UUID.randomUUID();
        UUID id = new UUID(
                (created.toEpochMilli() << 16) | 0x7000 | (random.getMostSignificantBits() & 0xFFF),
                random.getLeastSignificantBits());
        return lab.keyOf(StoreLab.message(id.toString()));
    }

    private static void accept(StoreLab lab, MessageKey key) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(transaction
                            .claim(lab.consumer(), List.of(key), StoreLab.LONG)
                            .claimed())
                    .containsExactly(key);
            transaction.commit();
        }
    }

    static Stream<DatabaseServer> servers() {
        return Stream.of(PostgresServers.all().limit(1), MariaDbServers.all().limit(1), Stream.of(H2Server.FILES))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void claimThatWaitsInVainSaysTheSameOnEachDatabase(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema();
                Connection first = begin(workshop, Level.READ_COMMITTED);
                Connection second = begin(workshop, Level.READ_COMMITTED)) {
            StoreLab lab = StoreLab.of(workshop.dataSource());
            MessageKey key = key(lab);
            assertThat(lab.store().ledger(first).claim(lab.consumer(), key).claimed())
                    .containsExactly(key);
            execute(
                    second,
                    switch (server.getClass().getSimpleName()) {
                        case "PostgresServer" -> "SET LOCAL lock_timeout = '100ms'";
                        case "MariaDbServer" -> "SET innodb_lock_wait_timeout = 1";
                        default -> "SET LOCK_TIMEOUT 100";
                    });

            assertThatThrownBy(() -> lab.store().ledger(second).claim(lab.consumer(), key))
                    .isInstanceOf(ClaimBlockedException.class)
                    .hasMessageContaining("Roll back");
            second.rollback();
            first.rollback();
        }
    }

    /** Beyond the window; otherwise what comes after an outage of nine days would keep its keys. */
    private static void advance(DatabaseServer.MovableClock clock, StoreLab lab) {
        clock.advance(Duration.ofDays(9));
        lab.store().admin().confirmClock(SOMEBODY);
    }

    /** Whether the caller gets the key; an error that tells it to try again is as good as a no. */
    private static boolean isNew(StoreLab lab, Ledger ledger, MessageKey key) {
        try {
            Claim claim = ledger.claim(lab.consumer(), key);
            return claim.claimed().contains(key);
        } catch (StoreException e) {
            assertThat(e.errorClass()).isEqualTo(ErrorClass.RETRY_NOW);
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void keyOfADayThatWasDroppedSinceTheTransactionBeganIsNotNew(DatabaseServer server, Level level)
            throws SQLException {
        try (Workshop workshop = server.schema()) {
            DatabaseServer.MovableClock clock = server.clock(workshop);
            StoreLab lab = StoreLab.of(clock.dataSource());
            MessageKey key = key(lab);
            accept(lab, key);
            try (Connection connection = begin(workshop, level)) {
                advance(clock, lab);
                lab.store().maintain();
                boolean more = true;
                while (more) {
                    more = lab.store().retire().more();
                }
                assertThat(workshop.askAll("SELECT message_key FROM inbox_ledger"))
                        .isEmpty();

                assertThat(isNew(lab, lab.store().ledger(connection), key)).isFalse();
                connection.rollback();
            }
            try (Connection connection = begin(workshop, level)) {
                Claim claim = lab.store().ledger(connection).claim(lab.consumer(), key);
                assertThat(claim.claimed()).isEmpty();
                assertThat(claim.isLate(key)).isTrue();
                connection.rollback();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void keyThatWasAcceptedSinceTheTransactionBeganIsNotNew(DatabaseServer server, Level level) throws SQLException {
        Workshop workshop = server.sharedSchema();
        StoreLab lab = StoreLab.of(workshop.dataSource());
        MessageKey key = key(lab);
        try (Connection connection = begin(workshop, level)) {
            accept(lab, key);
            assertThat(isNew(lab, lab.store().ledger(connection), key)).isFalse();
            connection.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void claimsOfOneKeyAtOnceGiveItToOneCaller(DatabaseServer server, Level level) throws Exception {
        Workshop workshop = server.sharedSchema();
        StoreLab lab = StoreLab.of(workshop.dataSource());
        MessageKey key = key(lab);
        try (Connection first = begin(workshop, level);
                Connection second = begin(workshop, level)) {
            assertThat(isNew(lab, lab.store().ledger(first), key)).isTrue();
            CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(
                    () -> isNew(lab, lab.store().ledger(second), key), OwnThread.FOR_EACH);
            first.commit();
            assertThat(waiting.get(20, TimeUnit.SECONDS)).isFalse();
            second.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void keyOfATransactionThatIsRolledBackGoesToTheCallerWhoWaits(DatabaseServer server, Level level) throws Exception {
        Workshop workshop = server.sharedSchema();
        StoreLab lab = StoreLab.of(workshop.dataSource());
        MessageKey key = key(lab);
        try (Connection first = begin(workshop, level);
                Connection second = begin(workshop, level)) {
            assertThat(isNew(lab, lab.store().ledger(first), key)).isTrue();
            CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(
                    () -> isNew(lab, lab.store().ledger(second), key), OwnThread.FOR_EACH);
            assertThatThrownBy(() -> waiting.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            first.rollback();
            assertThat(waiting.get(20, TimeUnit.SECONDS)).isTrue();
            second.rollback();
        }
    }

    @ParameterizedTest
    @MethodSource("supported")
    void newKeyIsClaimedWithTheCallersWork(DatabaseServer server, Level level) throws SQLException {
        Workshop workshop = server.sharedSchema();
        StoreLab lab = StoreLab.of(workshop.dataSource());
        MessageKey key = key(lab);
        String effect = "effect " + UUID.randomUUID();
        try (Connection connection = begin(workshop, level)) {
            assertThat(isNew(lab, lab.store().ledger(connection), key)).isTrue();
            assertThat(isNew(lab, lab.store().ledger(connection), key)).isFalse();
            execute(connection, "INSERT INTO effect (text) VALUES ('" + effect + "')");
            connection.commit();
        }
        assertThat(workshop.askAll("SELECT text FROM effect WHERE text = ?", effect))
                .hasSize(1);
        try (Connection connection = begin(workshop, level)) {
            assertThat(isNew(lab, lab.store().ledger(connection), key)).isFalse();
            connection.rollback();
        }
    }

    static Stream<MariaDbServer> whereClaimsHoldTheDays() {
        return MariaDbServers.all();
    }

    /** The key's day must not go between the look at the ledger's days and the commit. */
    @ParameterizedTest
    @MethodSource("whereClaimsHoldTheDays")
    void dayStaysWhileACallersClaimIsOpenAndGoesAfterwards(DatabaseServer server) throws SQLException {
        try (Workshop workshop = server.schema()) {
            DatabaseServer.MovableClock clock = server.clock(workshop);
            StoreLab lab = StoreLab.of(clock.dataSource());
            MessageKey oldest = workshop.askKey("SELECT oldest FROM inbox_ledger_bounds");
            try (Connection connection = begin(workshop, Level.REPEATABLE_READ)) {
                assertThat(isNew(lab, lab.store().ledger(connection), key(lab))).isTrue();
                advance(clock, lab);
                assertThat(lab.store().retire().days()).isZero();
                assertThat(workshop.askKey("SELECT oldest FROM inbox_ledger_bounds"))
                        .isEqualTo(oldest);
                connection.commit();
            }
            lab.store().maintain();
            assertThat(lab.store().retire().days()).isOne();
            assertThat(workshop.askKey("SELECT oldest FROM inbox_ledger_bounds"))
                    .isGreaterThan(oldest);
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void claimIsRefusedWhereItCouldNotTellADuplicate(DatabaseServer server, Level level) throws SQLException {
        Workshop workshop = server.sharedSchema();
        StoreLab lab = StoreLab.of(workshop.dataSource());
        try (Connection connection = begin(workshop, level)) {
            Ledger ledger = lab.store().ledger(connection);
            assertThatThrownBy(() -> ledger.claim(lab.consumer(), key(lab)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(level.name().replace("H2_", "").replace('_', ' '))
                    .hasMessageContaining("setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED)");
            connection.rollback();
        }
    }

    /** What is read of a transaction that is rolled back afterwards would be called accepted, and lost. */
    @ParameterizedTest
    @MethodSource("dirtyReads")
    void lookUpIsRefusedWhereItWouldSeeWhatIsNotCommitted(DatabaseServer server, Level level) throws SQLException {
        Workshop workshop = server.sharedSchema();
        StoreLab lab = StoreLab.of(workshop.dataSource());
        try (Connection connection = begin(workshop, level)) {
            Ledger ledger = lab.store().ledger(connection);
            assertThatThrownBy(() -> ledger.contains(lab.consumer(), key(lab)))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("READ UNCOMMITTED");
            connection.rollback();
        }
    }
}
