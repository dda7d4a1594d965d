package io.pigeonhole.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Those of PostgreSQL.
 *
 * @param connections to it
 * @param statements of it
 * @param days that the ledger is known to have
 */
record PostgresShortTransactions(ConnectionSource connections, Statements statements, KnownDays days)
        implements ShortTransactions {
    /** lock_not_available */
    private static final String LOCK_TIMEOUT = "55P03";

    @Override
    public <T> T run(String doing, Work<T> work) {
        return Errand.run(connections, doing, connection -> work.run(of(connection)));
    }

    @Override
    public <T> T runQuick(String doing, Work<T> work) {
        return Errand.runQuick(connections, doing, connection -> work.run(of(connection)));
    }

    @Override
    public <T> T read(String doing, Work<T> work) {
        return Errand.run(connections, PostgresStatements.LOOK, doing, connection -> work.run(of(connection)));
    }

    @Override
    public boolean isLockTimeout(SQLException failure) {
        return LOCK_TIMEOUT.equals(failure.getSQLState());
    }

    private AdminSession of(Connection connection) {
        return new AdminSession(
                connection,
                statements,
                new PostgresValues(connection),
                new PostgresAdminOperations(connection, statements, days));
    }
}
