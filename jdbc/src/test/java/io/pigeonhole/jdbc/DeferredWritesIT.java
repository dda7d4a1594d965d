package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.InboxTransaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@OnEveryServer
class DeferredWritesIT {
    private static final String INSERT = "INSERT INTO deferred (run, id, at) VALUES (?, ?, ?)";
    private static final String UPDATE = "UPDATE deferred SET value = value + 1 WHERE run = ? AND id = ?";

    private final String run = UUID.randomUUID().toString();
    private final Workshop workshop;
    private final StoreLab lab;

    DeferredWritesIT(PostgresServer server) {
        this.workshop = server.sharedSchema();
        this.lab = StoreLab.of(workshop.dataSource());
        workshop.execute("CREATE TABLE IF NOT EXISTS deferred"
                + " (run text, id int, at timestamptz, value int DEFAULT 0, PRIMARY KEY (run, id))");
    }

    @Test
    void nothingIsSentBeforeTheFlushAndTheConnectionFlushes() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext first = lab.claimed(transaction);
            Connection connection = first.connection();
            first.defer(INSERT, run, 1, null);
            assertThat(count(connection)).isZero();
            assertThat(count(lab.claimed(transaction).connection())).isEqualTo(1);
            first.defer(INSERT, run, 2, null);
            transaction.commit();
        }
        assertThat(workshop.ask("SELECT count(*) FROM deferred WHERE run = ?", run))
                .isEqualTo("2");
    }

    @Test
    void instantsNullsAndChangedArraysAreWrittenAsTheyWereHandedIn() {
        Instant instant = Instant.parse("2026-11-21T12:34:56.789123Z");
        Object[] parameters = {run, 1, instant};
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            context.defer(INSERT, parameters);
            parameters[1] = 2;
            parameters[2] = null;
            context.defer(INSERT, parameters);
            transaction.commit();
        }
        assertThat(workshop.ask(
                        "SELECT at = '2026-11-21 12:34:56.789123+00' FROM deferred WHERE run = ? AND id = 1", run))
                .isEqualTo("t");
        assertThat(workshop.ask("SELECT at IS NULL FROM deferred WHERE run = ? AND id = 2", run))
                .isEqualTo("t");
    }

    @Test
    void updateThatFindsNothingIsTracedToItsMessage() {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Message guilty = null;
            for (int i = 0; i < 50; i++) {
                Message message = StoreLab.message();
                JdbcContext context = lab.claimed(transaction, message);
                if (i == 30) {
                    guilty = message;
                } else {
                    context.defer(INSERT, run, i, null);
                }
                context.deferExpecting(1, UPDATE, run, i);
            }
            DeferredWriteException refused = (DeferredWriteException) catchThrowable(transaction::flush);
            assertThat(guilty).isNotNull();
            assertThat(refused.key()).isEqualTo(lab.keyOf(guilty));
            assertThat(refused.errorClass()).isEqualTo(ErrorClass.MESSAGE);
            assertThat(refused)
                    .hasMessageContaining("changed 0 rows, expected were 1")
                    .hasMessageContaining(UPDATE);
        }
    }

    @Test
    void errorWithinABatchIsNobodysUntilTheMessagesAreIsolated() {
        List<Message> messages = List.of(StoreLab.message(), StoreLab.message(), StoreLab.message());
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            for (Message message : messages) {
                lab.claimed(transaction, message).defer(INSERT, run, 1, null);
            }
            assertThat(catchThrowable(transaction::flush))
                    .isInstanceOf(StoreException.class)
                    .isNotInstanceOf(DeferredWriteException.class)
                    .satisfies(e -> assertThat(lab.store().classify(e)).isEqualTo(ErrorClass.MESSAGE));
        }
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            List<Message> failed = new ArrayList<>();
            for (Message message : messages) {
                JdbcContext context = lab.claimed(transaction, message);
                transaction.savepoint();
                context.defer(INSERT, run, 1, null);
                Throwable refused = catchThrowable(transaction::flush);
                if (refused != null) {
                    assertThat(((DeferredWriteException) refused).key()).isEqualTo(lab.keyOf(message));
                    transaction.rollbackToSavepoint();
                    failed.add(message);
                }
            }
            transaction.commit();
            assertThat(failed).containsExactlyElementsOf(messages.subList(1, 3));
        }
    }

    @Test
    void parameterThatTheDriverCannotBindIsTracedToItsMessage() {
        Message guilty = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            lab.claimed(transaction).defer(INSERT, run, 1, null);
            lab.claimed(transaction, guilty).defer(INSERT, run, 2, Optional.of("no type of the driver's"));
            DeferredWriteException refused = (DeferredWriteException) catchThrowable(transaction::flush);
            assertThat(refused.key()).isEqualTo(lab.keyOf(guilty));
        }
    }

    @Test
    void driverThatDoesNotCountTheRowsOfABatchIsNotTrusted() {
        StoreLab rewriting = StoreLab.of(workshop.dataSource("&reWriteBatchedInserts=true"));
        String insert = INSERT + " ON CONFLICT DO NOTHING";
        workshop.execute(INSERT, run, 3, null);
        Message guilty = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = rewriting.begin()) {
            for (int i = 0; i < 10; i++) {
                rewriting
                        .claimed(transaction, i == 3 ? guilty : StoreLab.message())
                        .deferExpecting(1, insert, run, i, null);
            }
            assertThat(catchThrowable(transaction::flush))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("does not say how many rows");
        }
        try (InboxTransaction<JdbcContext> transaction = rewriting.begin()) {
            JdbcContext context = rewriting.claimed(transaction, guilty);
            context.deferExpecting(1, insert, run, 2, null);
            context.deferExpecting(1, insert, run, 3, null);
            assertThat(catchThrowable(transaction::flush))
                    .isInstanceOfSatisfying(
                            DeferredWriteException.class,
                            refused -> assertThat(refused.key()).isEqualTo(rewriting.keyOf(guilty)));
        }
    }

    @Test
    void writesOfOneOrderingKeyKeepTheirOrder() {
        byte[] key = {1};
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            for (int i = 0; i < 3; i++) {
                Message message = Message.builder("notes")
                        .id(UUID.randomUUID().toString())
                        .orderingKey(key.clone())
                        .build();
                JdbcContext context = lab.claimed(transaction, message);
                context.deferExpecting(1, INSERT, run, 1, null);
                context.deferExpecting(1, UPDATE, run, 1);
                context.deferExpecting(1, "DELETE FROM deferred WHERE run = ? AND id = ? AND value = 1", run, 1);
            }
            transaction.commit();
        }
        assertThat(workshop.ask("SELECT count(*) FROM deferred WHERE run = ?", run))
                .isEqualTo("0");
    }

    private int count(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement("SELECT count(*) FROM deferred WHERE run = ?")) {
            statement.setString(1, run);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
