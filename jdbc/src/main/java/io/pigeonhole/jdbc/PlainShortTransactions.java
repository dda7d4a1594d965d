package io.pigeonhole.jdbc;

import java.sql.SQLException;

/**
 * Those of a database that does one thing in a statement.
 *
 * @param connections to it
 * @param dialect what it says otherwise
 * @param statements of it
 */
record PlainShortTransactions(ConnectionSource connections, Dialect dialect, Statements statements)
        implements ShortTransactions {
    @Override
    public <T> T run(String doing, Work<T> work) {
        return PlainErrand.run(connections, dialect, doing, session -> work.run(of(session)));
    }

    @Override
    public <T> T runQuick(String doing, Work<T> work) {
        return PlainErrand.runQuick(connections, dialect, doing, session -> work.run(of(session)));
    }

    @Override
    public <T> T read(String doing, Work<T> work) {
        return PlainErrand.read(connections, dialect, doing, session -> work.run(of(session)));
    }

    @Override
    public boolean isLockTimeout(SQLException failure) {
        return dialect.isLockTimeout(failure);
    }

    /** The same transaction for what serves all databases. */
    AdminSession of(PlainSession session) {
        return new AdminSession(
                session.connection(), statements, new PlainValues(session), new PlainAdminOperations(session));
    }
}
