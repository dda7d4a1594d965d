package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
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
    void begin(Duration idleLimit, int isolation) throws SQLException {
        begin(dialect.begin(idleLimit), isolation);
    }

    private void begin(List<String> statements, int isolation) throws SQLException {
        if (!dialect.setsIsolation() || isolation != Connection.TRANSACTION_READ_COMMITTED) {
            isolationBefore = connection.getTransactionIsolation();
            readOnlyBefore = connection.isReadOnly();
            if (isolationBefore != isolation) {
                connection.setTransactionIsolation(isolation);
            }
            if (readOnlyBefore) {
                connection.setReadOnly(false);
            }
        }
        PlainSession.execute(connection, statements);
        begun = true;
    }

    void wait(Duration patience) throws SQLException {
        PlainSession.execute(connection, dialect.patience(patience));
    }

    /** Gives the handlers their own patience back. */
    void stopWaiting() throws SQLException {
        PlainSession.execute(connection, dialect.ownPatience());
    }

    /** Behind the end of the transaction. */
    void end() throws SQLException {
        if (begun) {
            begun = false;
            PlainSession.execute(connection, dialect.end());
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
