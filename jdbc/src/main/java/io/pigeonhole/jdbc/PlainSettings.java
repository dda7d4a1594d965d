package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

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

    /** Before the first statement of the transaction. */
    void begin(Duration idleLimit, int isolation) throws SQLException {
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
        PlainSession.execute(connection, dialect.begin(idleLimit));
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
