package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.PlainErrors;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.ConnectionSource;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.TransactionBoundary;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The boundary of a short transaction on a database whose settings are those of the session, and are put back. */
public final class PlainBoundary implements TransactionBoundary {
    /** No such transaction takes longer, unless its process was stopped. */
    private static final Duration IDLE_LIMIT = Duration.ofMinutes(1);

    private final Connection connection;
    private final Dialect dialect;
    private final PlainSettings settings;

    private PlainBoundary(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
        this.settings = new PlainSettings(connection, dialect);
    }

    public static ShortTransactions transactions(ConnectionSource connections, Dialect dialect) {
        return new ShortTransactions(
                connections,
                dialect.texts(),
                new PlainErrors(dialect),
                connection -> new PlainBoundary(connection, dialect));
    }

    /** The clock is read at the beginning. */
    @Override
    public AdminSession begin(boolean atOneMoment) throws SQLException {
        if (atOneMoment) {
            settings.beginToRead(IDLE_LIMIT);
        } else {
            settings.begin(IDLE_LIMIT);
        }
        settings.wait(ShortTransactions.LOCK_TIMEOUT);
        return session(PlainSession.on(connection, dialect));
    }

    static AdminSession session(PlainSession session) {
        return new AdminSession(
                session.connection(),
                session.dialect().texts(),
                new PlainValues(session),
                new PlainAdminOperations(session));
    }

    /** For what reads the catalog on a connection that commits each statement by itself: without a transaction. */
    static AdminSession withoutTransaction(Connection connection, Dialect dialect) {
        return session(PlainSession.withoutClock(connection, dialect));
    }

    @Override
    public void beforeCommit() throws SQLException {
        Connections.execute(connection, dialect.beforeCommit());
    }

    @Override
    public void end() throws SQLException {
        settings.end();
    }
}
