package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a transaction costs in trips to the server, which is what it costs. */
@OnEveryServer
class RoundTripsIT {
    private final PostgresServer server;
    private final HikariDataSource pool;
    private final StoreLab lab;

    RoundTripsIT(PostgresServer server) {
        this.server = server;
        pool = pool("TRANSACTION_REPEATABLE_READ");
        lab = StoreLab.of(pool);
    }

    private HikariDataSource pool(String isolation) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.sharedSchema().url() + "&socketFactory=" + CountingSockets.class.getName());
        config.setMaximumPoolSize(1);
        config.setTransactionIsolation(isolation);
        return new HikariDataSource(config);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    /** Begin, the settings, the insert; the constraints, the proof, the commit. */
    @Test
    void claimOfOneMessageAndCommitCostTwoTripsAndEightStatements() {
        try (HikariDataSource readCommitted = pool("TRANSACTION_READ_COMMITTED")) {
            StoreLab ofTheLevel = StoreLab.of(readCommitted);
            assertThat(statementsOfOneMessage(ofTheLevel)).isEqualTo(8);
        }
    }

    /** Begin, the level, the settings, the insert; the constraints, the proof, the commit. */
    @Test
    void whereSessionsAreOfAnotherLevelThatCostsOneStatementMoreFromTheSecondMessageOn() {
        assertThat(statementsOfOneMessage(lab)).isEqualTo(9);
    }

    /**
     * Of a message behind ten others, because the driver prepares a statement at the fifth time, and may
     * ask for types from then on.
     */
    private static int statementsOfOneMessage(StoreLab lab) {
        for (int i = 0; i < 10; i++) {
            claimAndCommit(lab);
        }
        int before = CountingSockets.trips();
        int statements = CountingSockets.statements();
        claimAndCommit(lab);
        assertThat(CountingSockets.trips() - before).isEqualTo(2);
        return CountingSockets.statements() - statements;
    }

    private static void claimAndCommit(StoreLab lab) {
        MessageKey key = lab.keyOf(StoreLab.message());
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(transaction
                            .claim(lab.consumer(), List.of(key), StoreLab.LONG)
                            .claimed())
                    .containsExactly(key);
            transaction.commit();
        }
    }

    /** A plan anew each time would cost a fifth of all the server's time. */
    @Test
    void claimOfOneMessageIsNotPlannedAnewEachTime() throws SQLException {
        for (int i = 0; i < 30; i++) {
            claimAndCommit(lab);
        }
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT generic_plans FROM pg_prepared_statements
                        WHERE statement LIKE '%INSERT INTO%inbox_ledger%ON CONFLICT DO NOTHING%'""")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isGreaterThan(10);
        }
    }

    @Test
    void duplicateCostsOneTripMore() {
        claimAndCommit(lab);
        MessageKey key = lab.keyOf(StoreLab.message());
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.claim(lab.consumer(), List.of(key), StoreLab.LONG);
            transaction.commit();
        }
        int before = CountingSockets.trips();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(transaction
                            .claim(lab.consumer(), List.of(key), StoreLab.LONG)
                            .claimed())
                    .isEmpty();
            transaction.commit();
        }
        assertThat(CountingSockets.trips() - before).isEqualTo(3);
    }

    /** Where the ledger is known to have the key's day. */
    @Test
    void claimInACallersTransactionCostsOneTripAndTwoStatements() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
            int before = CountingSockets.trips();
            int statements = CountingSockets.statements();
            assertThat(lab.store()
                            .ledger(connection)
                            .claim(lab.consumer(), lab.keyOf(StoreLab.message()))
                            .claimed())
                    .hasSize(1);
            assertThat(CountingSockets.trips() - before).isEqualTo(1);
            assertThat(CountingSockets.statements() - statements).isEqualTo(2);
            connection.rollback();
        }
    }

    /** Begin, the settings, what requires a transaction, the insert, the look for dead letters with the limits; the constraints, the proof, the commit. */
    @Test
    void claimOfManyMessagesAndCommitCostTwoTripsAndNineStatements() {
        try (HikariDataSource readCommitted = pool("TRANSACTION_READ_COMMITTED")) {
            StoreLab ofTheLevel = StoreLab.of(readCommitted);
            assertThat(statementsOfManyMessages(ofTheLevel)).isEqualTo(9);
        }
    }

    @Test
    void claimOfManyMessagesCostsOneStatementMoreWhereSessionsAreOfAnotherLevel() {
        assertThat(statementsOfManyMessages(lab)).isEqualTo(10);
    }

    /** Of the second batch, in two trips. */
    private int statementsOfManyMessages(StoreLab lab) {
        claimManyAndCommit(lab);
        int before = CountingSockets.trips();
        int statements = CountingSockets.statements();
        claimManyAndCommit(lab);
        assertThat(CountingSockets.trips() - before).isEqualTo(2);
        return CountingSockets.statements() - statements;
    }

    private void claimManyAndCommit(StoreLab lab) {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            assertThat(transaction
                            .claim(lab.consumer(), keys(500), StoreLab.LONG)
                            .claimed())
                    .hasSize(500);
            transaction.commit();
        }
    }

    @Test
    void watermarkIsReadAndMovedAndCommittedInTwoTrips() {
        RegisteredConsumer consumer = lab.store()
                .register(new ConsumerRegistration(
                        "log " + UUID.randomUUID(), IdForm.OPAQUE, KeyOrder.NONE, 1, Deduplication.WATERMARKS));
        LogPartition partition = new LogPartition("notes", 0);
        lab.store().acquire(consumer, partition, "log:trips");
        int before = CountingSockets.trips();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Watermark read =
                    transaction.watermarks(consumer, List.of(partition)).get(0);
            transaction.advance(consumer, List.of(new Advance(read, 500, 1)));
            transaction.commit();
        }
        assertThat(CountingSockets.trips() - before).isEqualTo(2);
        assertThat(lab.store().acquire(consumer, partition, "log:trips").position())
                .isEqualTo(500);
    }

    @Test
    void deferredWritesOfManyMessagesCostAFewTripsMore() {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            messages.add(StoreLab.message());
        }
        int before = CountingSockets.trips();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            List<MessageKey> keys = messages.stream().map(lab::keyOf).sorted().toList();
            transaction.claim(lab.consumer(), keys, StoreLab.LONG);
            for (Message message : messages) {
                JdbcContext context = transaction.context(lab.consumer(), lab.keyOf(message), message, 1);
                context.deferExpecting(1, "INSERT INTO effect (text) VALUES (?)", "deferred");
            }
            transaction.flush();
            transaction.commit();
        }
        assertThat(CountingSockets.trips() - before).isLessThanOrEqualTo(5);
    }

    @Test
    void savepointAndCheckOfConstraintsCostOneTripEach() {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.savepoint();
            transaction.claim(lab.consumer(), keys(3), StoreLab.LONG);
            int before = CountingSockets.trips();
            transaction.savepoint();
            transaction.checkConstraints();
            transaction.rollbackToSavepoint();
            assertThat(CountingSockets.trips() - before).isEqualTo(3);
        }
    }

    @Test
    void transactionThatDoesNothingCostsNothing() {
        int before = CountingSockets.trips();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.commit();
        }
        assertThat(CountingSockets.trips() - before).isZero();
    }

    private List<MessageKey> keys(int count) {
        List<MessageKey> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(lab.keyOf(StoreLab.message()));
        }
        keys.sort(null);
        return keys;
    }
}
