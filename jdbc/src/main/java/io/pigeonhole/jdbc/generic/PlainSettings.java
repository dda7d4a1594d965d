package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** What a transaction changes about its connection, and puts back. Used by one thread. */
final class PlainSettings {
    private final Connection connection;
    private final Dialect dialect;
    private boolean begun;
    private int isolationBefore = Connection.TRANSACTION_NONE;
    private boolean readOnlyBefore;

    PlainSettings(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /** Before the first statement of a transaction in which handlers run. */
    void beginForHandlers(Duration idleLimit) throws SQLException {
        begin(dialect.beginForHandlers(idleLimit), Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Before the first statement of another transaction. */
    void begin(Duration idleLimit) throws SQLException {
        begin(dialect.begin(idleLimit), Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Before the first statement of one that reads what belongs to one moment. */
    void beginToRead(Duration idleLimit) throws SQLException {
        begin(dialect.beginToRead(idleLimit), dialect.isolationToRead());
    }

    private void begin(List<String> statements, int isolation) throws SQLException {
        if (!dialect.setsIsolation()) {
            isolationBefore = connection.getTransactionIsolation();
            readOnlyBefore = connection.isReadOnly();
            if (isolationBefore != isolation) {
                connection.setTransactionIsolation(isolation);
            }
            if (readOnlyBefore) {
                connection.setReadOnly(false);
            }
        }
        execute(statements);
        begun = true;
    }

    private void execute(List<String> statements) throws SQLException {
        if (statements.isEmpty()) {
            return;
        }
        try (Statement statement = withoutLimit(connection.createStatement(), dialect)) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** A statement that changes settings, or ends what has changed them, without the time limit that a pool gives each. */
    static Statement withoutLimit(Statement statement, Dialect dialect) throws SQLException {
        if (dialect.mixesUpSettingsUnderALimit()) {
            statement.setQueryTimeout(0);
        }
        return statement;
    }

    /** They were set by a statement that did more than that. */
    void begun() {
        begun = true;
    }

    /** Behind the end of the transaction, and before one more statement that writes, also on a connection that is read-only otherwise. */
    void writeOnce() throws SQLException {
        if (dialect.setsIsolation()) {
            execute(List.of("SET TRANSACTION READ WRITE"));
        }
    }

    void wait(Duration timeout) throws SQLException {
        execute(dialect.setLockTimeout(timeout));
    }

    /** Before a write of ours that may take longer than a handler may. */
    void liftHandlersLimit() throws SQLException {
        execute(dialect.liftHandlersLimit());
    }

    /** Behind it. */
    void setHandlersLimit(Duration idleLimit) throws SQLException {
        execute(dialect.setHandlersLimit(idleLimit));
    }

    /** Gives the handlers their own lock timeout back. */
    void stopWaiting() throws SQLException {
        execute(dialect.restoreLockTimeout());
    }

    /** Behind the end of the transaction. */
    void end() throws SQLException {
        end(dialect.end());
    }

    /** The same where the connection is to commit each statement by itself from now on. */
    void endWithAutoCommit() throws SQLException {
        end(dialect.endWithAutoCommit());
    }

    private void end(List<String> statements) throws SQLException {
        if (begun) {
            begun = false;
            execute(statements);
        }
        if (isolationBefore != Connection.TRANSACTION_NONE) {
            connection.setTransactionIsolation(isolationBefore);
            isolationBefore = Connection.TRANSACTION_NONE;
            if (readOnlyBefore) {
                connection.setReadOnly(true);
            }
        }
    }
}
