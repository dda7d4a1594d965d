package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.jdbc.transaction.HandlerCall;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing that a handler got is of any use behind its end, on no thread and on no database. */
@ParameterizedClass
@MethodSource("io.pigeonhole.jdbc.AnyDatabase#all")
@Tag("A3")
class HandlerCallIT {
    private static final String INSERT = "INSERT INTO effect (text) VALUES (?)";

    private final DatabaseServer server;
    private final Workshop workshop;
    private final StoreLab lab;

    HandlerCallIT(DatabaseServer server) {
        this.server = server;
        this.workshop = server.sharedSchema();
        this.lab = StoreLab.of(workshop.dataSource());
    }

    @Test
    void whateverAConnectionGaveOutEndsWithTheHandler() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            Connection connection = context.connection();
            Statement statement = connection.createStatement();
            PreparedStatement prepared = connection.prepareStatement(INSERT);
            prepared.setString(1, "too late");
            ResultSet rows = connection.createStatement().executeQuery("SELECT 1");
            DatabaseMetaData metaData = connection.getMetaData();
            Savepoint savepoint = connection.setSavepoint("own");

            transaction.endContexts();

            Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
            calls.put("connection", context::connection);
            calls.put("defer", () -> context.defer(INSERT, "too late"));
            calls.put("deferExpecting", () -> context.deferExpecting(1, INSERT, "too late"));
            calls.put("createStatement", connection::createStatement);
            calls.put("prepareStatement", () -> connection.prepareStatement(INSERT));
            calls.put("rollback to a savepoint", () -> connection.rollback(savepoint));
            calls.put("execute", () -> statement.execute("DELETE FROM effect"));
            calls.put("executeUpdate", prepared::executeUpdate);
            calls.put("cancel", statement::cancel);
            calls.put("next", rows::next);
            calls.put("getTables", () -> metaData.getTables(null, null, "effect", null));
            calls.forEach((name, call) -> assertThatThrownBy(call).as(name).isInstanceOf(IllegalStateException.class));
            transaction.commit();
        }
        assertThat(workshop.askAll("SELECT text FROM effect WHERE text = 'too late'"))
                .isEmpty();
    }

    @Test
    void whatBelongsToAnEarlierHandlerIsOfNoUseToTheNext() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Savepoint ofTheFirst = lab.claimed(transaction).connection().setSavepoint("own");
            transaction.endContexts();
            Connection connection = lab.claimed(transaction).connection();

            assertThatThrownBy(() -> connection.rollback(ofTheFirst))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("handler that has ended");
            connection.createStatement().executeQuery("SELECT 1");
            transaction.commit();
        }
    }

    @Test
    void threadInTheMiddleOfAStatementIsStoppedBeforeTheTransactionGoesOn() throws Exception {
        String mine = "mine " + UUID.randomUUID();
        workshop.execute(INSERT, mine);
        Message message = StoreLab.message();
        try (Connection holder = workshop.dataSource().getConnection();
                InboxTransaction<JdbcContext> transaction = lab.begin()) {
            holder.setAutoCommit(false);
            update(holder, mine);
            JdbcContext context = lab.claimed(transaction, message);
            transaction.savepoint();
            Connection connection = context.connection();
            CompletableFuture<Throwable> left = CompletableFuture.supplyAsync(
                    () -> catchThrowable(() -> update(connection, mine)), OwnThread.FOR_EACH);
            await().atMost(Duration.ofSeconds(20))
                    .pollInterval(AnyDatabase.INTERVAL)
                    .until(() -> !workshop.ask(AnyDatabase.waiting(server)).equals("0"));

            assertThatThrownBy(transaction::endContexts)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("wait for the threads");

            assertThat(left.get(20, TimeUnit.SECONDS)).isInstanceOf(SQLException.class);
            transaction.rollbackToSavepoint();
            transaction.commit();
            holder.rollback();
        }
        assertThat(lab.isNew(message)).isFalse();
        assertThat(workshop.askAll("SELECT text FROM effect WHERE text = ?", mine))
                .hasSize(1);
    }

    @Test
    void threadThatFindsTheConnectionGivenUpKeepsItFromNoOther() throws Exception {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            ((JdbcTransaction) transaction).giveUp();
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Throwable> thread =
                        CompletableFuture.supplyAsync(() -> catchThrowable(context::connection), OwnThread.FOR_EACH);
                assertThat(thread.get(20, TimeUnit.SECONDS))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("given up");
            }
        }
    }

    @Test
    void threadThatWaitsForAnotherOfItsHandlerCanBeInterrupted() throws Exception {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            HandlerCall call = new HandlerCall((JdbcTransaction) transaction);
            call.enter();
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            Thread waiting = new Thread(() -> failure.complete(catchThrowable(call::enter)), "waits for its turn");
            waiting.start();
            await().atMost(Duration.ofSeconds(20)).until(() -> waiting.getState() == Thread.State.WAITING);

            waiting.interrupt();

            assertThat(failure.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("interrupted");
            call.leave();
        }
    }

    private static void update(Connection connection, String text) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE effect SET text = ? WHERE text = ?")) {
            statement.setString(1, text + " changed");
            statement.setString(2, text);
            statement.executeUpdate();
        }
    }
}
