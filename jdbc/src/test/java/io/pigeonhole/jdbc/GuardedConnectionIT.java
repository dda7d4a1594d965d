package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.InboxTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@OnEmbeddedServer
class GuardedConnectionIT {
    private final Workshop workshop;
    private final StoreLab lab;

    GuardedConnectionIT(PostgresServer server) {
        this.workshop = server.sharedSchema();
        this.lab = StoreLab.of(workshop.dataSource());
    }

    @Test
    void whateverWouldEndOrChangeTheTransactionIsRefusedAndTheTransactionGoesOn() throws SQLException {
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction, message);
            Connection connection = context.connection();
            Statement statement = connection.createStatement();
            PreparedStatement prepared = connection.prepareStatement("SELECT 1");
            Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
            calls.put("commit", connection::commit);
            calls.put("rollback", connection::rollback);
            calls.put("setAutoCommit", () -> connection.setAutoCommit(true));
            calls.put("setTransactionIsolation", () -> connection.setTransactionIsolation(8));
            calls.put("setReadOnly", () -> connection.setReadOnly(true));
            calls.put("abort", () -> connection.abort(Runnable::run));
            calls.put("unwrap", () -> connection.unwrap(Connection.class));
            calls.put("COMMIT", () -> statement.execute("COMMIT"));
            calls.put("rollback ", () -> statement.addBatch("rollback "));
            calls.put("END", () -> connection.prepareStatement("END"));
            calls.put("SELECT 1; COMMIT", () -> statement.executeQuery("SELECT 1; COMMIT"));
            calls.put("Commit", () -> context.defer("Commit"));
            calls.put("Commit work", () -> context.deferExpecting(0, "Commit work"));
            calls.put("ABORT", () -> prepared.executeUpdate("ABORT"));
            calls.put("{oj commit}", () -> statement.execute("{oj commit}"));
            calls.put("com{oj mit}", () -> connection.prepareStatement("com{oj mit}"));
            calls.put("{fn ccommit}", () -> context.defer("{fn ccommit}"));
            calls.forEach((name, call) -> assertThatThrownBy(call)
                    .as(name)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(name));
            assertThat(connection.isWrapperFor(Connection.class)).isFalse();
            assertThat(connection.isClosed()).isFalse();
            transaction.commit();
        }
        assertThat(lab.isNew(message)).isFalse();
    }

    @Test
    void statementsLeadBackToTheGuardedConnection() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            assertThat(connection.createStatement().getConnection()).isSameAs(connection);
            assertThat(connection.prepareStatement("SELECT 1").getConnection()).isSameAs(connection);
            assertThat(connection.prepareCall("SELECT 1").getConnection()).isSameAs(connection);
        }
    }

    @Test
    void toCloseTheConnectionAndToAskForWhatItIsDoesNothing() throws SQLException {
        Message message = StoreLab.message();
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction, message);
            try (Connection connection = context.connection()) {
                connection.setAutoCommit(false);
                connection.setReadOnly(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            assertThat(context.connection().isClosed()).isFalse();
            assertThat(context.connection().getAutoCommit()).isFalse();
            context.connection().createStatement().execute("SELECT 1");
            transaction.endContexts();
            transaction.commit();
        }
        assertThat(lab.isNew(message)).isFalse();
    }

    @Test
    void refusedRollbackThatAHandlerHidesIsItsFailureAndNoOthers() {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            transaction.savepoint();
            Connection connection = lab.claimed(transaction).connection();
            Throwable commit = catchThrowable(connection::commit);
            Throwable refusal = catchThrowable(connection::rollback);

            assertThatThrownBy(transaction::endContexts).isSameAs(refusal).hasSuppressedException(commit);

            transaction.rollbackToSavepoint();
            lab.claimed(transaction).connection();
            transaction.endContexts();
            transaction.commit();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ROLLBACK",
                "  rollback work",
                "ABORT",
                "SELECT 1; ROLLBACK",
                "/* all of it */ ROLLBACK",
                "ROLLBACK TO SAVEPOINT nobody",
                "SAVEPOINT mine; ROLLBACK TO yours",
                "{ROLLBACK}",
                "roll{oj back}",
                "BEGIN NOT ATOMIC ROLLBACK; END",
                "(ROLLBACK); COMMIT",
                "SELECT '\\'; ROLLBACK -- '"
            })
    void refusedRollbackInSqlThatAHandlerHidesIsItsFailureToo(String sql) {
        for (UseOfSql use : List.<UseOfSql>of(
                (context, text) -> context.connection().createStatement().execute(text),
                (context, text) -> context.connection().prepareStatement(text),
                JdbcContext::defer)) {
            try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
                JdbcContext context = lab.claimed(transaction);
                Throwable refusal = catchThrowable(() -> use.of(context, sql));

                assertThat(refusal).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(transaction::endContexts).isSameAs(refusal);
            }
        }
    }

    /** One of the ways to execute it. */
    @FunctionalInterface
    private interface UseOfSql {
        void of(JdbcContext context, String sql) throws SQLException;
    }

    @Test
    void refusedStatementThatRollsNothingBackFailsNothingWhereItIsHidden() {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            assertThatThrownBy(() -> connection.createStatement().execute("SELECT 'ROLLBACK'; COMMIT"))
                    .isInstanceOf(IllegalStateException.class);
            transaction.endContexts();
            transaction.commit();
        }
    }

    /** A handler that kept it, such as in a field, takes for rolled back what it has written. */
    @Test
    void refusedRollbackToTheSavepointOfAHandlerThatHasEndedIsTheFailureOfWhoHidesIt() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Savepoint kept = lab.claimed(transaction).connection().setSavepoint("kept");
            transaction.endContexts();
            Connection connection = lab.claimed(transaction).connection();
            Throwable refusal = catchThrowable(() -> connection.rollback(kept));

            assertThat(refusal).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(transaction::endContexts).isSameAs(refusal);
        }
    }

    @Test
    void refusedCommitThatAHandlerHidesFailsNothingBecauseTheEngineCommits() {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            assertThatThrownBy(connection::commit).isInstanceOf(IllegalStateException.class);
            transaction.endContexts();
            transaction.commit();
        }
    }

    @Test
    void failedDeferredWriteIsReportedBeforeTheRefusalThatFollowsFromIt() {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            JdbcContext context = lab.claimed(transaction);
            Connection connection = context.connection();
            context.defer("SELECT 1/0");
            assertThatThrownBy(context::connection).isInstanceOf(DeferredWriteException.class);
            assertThatThrownBy(connection::rollback).isInstanceOf(IllegalStateException.class);

            assertThatThrownBy(transaction::endContexts).isInstanceOf(DeferredWriteException.class);
        }
    }

    @Test
    void handlersMayUseSavepointsOfTheirOwn() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            Savepoint savepoint = connection.setSavepoint("own");
            assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1/0"))
                    .isInstanceOf(SQLException.class);
            connection.rollback(savepoint);
            connection.createStatement().execute("SAVEPOINT other; ROLLBACK TO SAVEPOINT other");
            connection.createStatement().execute("ROLLBACK TO SAVEPOINT other");
            transaction.commit();
        }
    }

    @Test
    void errorsOfTheDriverComeThroughAsTheyAre() throws SQLException {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1/0"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22012"));
        }
    }

    @Test
    void contextAndConnectionAreOfNoUseAfterTheTransaction() throws SQLException {
        JdbcContext context;
        Connection connection;
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            context = lab.claimed(transaction);
            connection = context.connection();
            transaction.commit();
        }
        assertThatThrownBy(context::connection).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> context.defer("SELECT 1")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(connection::createStatement).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> connection.setAutoCommit(false)).isInstanceOf(IllegalStateException.class);
        assertThat(connection.isClosed()).isTrue();
        connection.close();
    }

    @Test
    void allMessagesOfATransactionShareTheConnection() {
        try (InboxTransaction<JdbcContext> transaction = lab.begin()) {
            Connection connection = lab.claimed(transaction).connection();
            assertThat(lab.claimed(transaction).connection())
                    .isSameAs(connection)
                    .isEqualTo(connection);
            assertThat(connection).hasSameHashCodeAs(connection);
            assertThat(connection.toString()).startsWith("guarded ");
        }
    }
}
