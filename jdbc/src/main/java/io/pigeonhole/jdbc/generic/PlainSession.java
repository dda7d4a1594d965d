package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.StatementName;
import io.pigeonhole.jdbc.sql.Values;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection in a transaction, with the statements of its database and the database's clock. The clock is read once, at the
 * beginning or when somebody asks for it; from then on it goes on as this JVM counts nanoseconds. Used by one thread.
 */
public final class PlainSession {
    private final Connection connection;
    private final Dialect dialect;
    private final Values values = new PlainValues(this);

    private @Nullable Instant readAt;
    private long readNanos;

    private PlainSession(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /** Reads the clock. */
    static PlainSession on(Connection connection, Dialect dialect) throws SQLException {
        PlainSession session = new PlainSession(connection, dialect);
        session.readAt = session.readClock();
        return session;
    }

    /** Reads the clock when somebody asks for it, on a database whose clock does not stand still in a transaction. */
    public static PlainSession withoutClock(Connection connection, Dialect dialect) {
        return new PlainSession(connection, dialect);
    }

    /** That of a short transaction. */
    public static PlainSession of(AdminSession session) {
        return ((PlainValues) session.values()).session();
    }

    private Instant readClock() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(dialect.texts().sql(LedgerStatement.NOW))) {
            row.next();
            Instant read = Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
            readNanos = System.nanoTime();
            return read;
        }
    }

    Connection connection() {
        return connection;
    }

    public Dialect dialect() {
        return dialect;
    }

    /** By the database's clock, in microseconds. */
    Instant now() throws SQLException {
        Instant read = readAt;
        if (read == null) {
            read = readClock();
            readAt = read;
        }
        return read.plusNanos(System.nanoTime() - readNanos).truncatedTo(ChronoUnit.MICROS);
    }

    /** A statement to be bound and closed. */
    Call call(StatementName statement) throws SQLException {
        return call(statement, 1);
    }

    /** The same where its lists have so many elements. */
    Call call(StatementName statement, int elements) throws SQLException {
        return Call.of(connection, dialect.texts().get(statement).text(elements), values);
    }

    /** The same where its lists have not all as many. */
    Call call(StatementName statement, Map<String, Integer> elements) throws SQLException {
        return Call.of(connection, dialect.texts().get(statement).text(elements), values);
    }

    /** The insert of a row whose number the database makes. */
    Call callMakingANumber(StatementName statement) throws SQLException {
        return Call.makingANumber(connection, dialect.texts().get(statement).text(1), values);
    }

    /** Deletes the row that has an id, the only parameter, and that is locked. */
    void delete(StatementName statement, long id) throws SQLException {
        try (Call call = call(statement)) {
            call.number("id", id).changeLocked();
        }
    }

    /**
     * Executes a statement once for each id, its only parameter {@code id}, and answers how many rows that changed. Lists are for what
     * reads: MariaDB reads, and so locks, all of a table where a list names a large part of it.
     */
    public long each(StatementName statement, Collection<Long> ids) throws SQLException {
        if (ids.isEmpty()) {
            return 0;
        }
        try (Call call = call(statement)) {
            return call.changeOfEach(ids);
        }
    }
}
