package io.pigeonhole.jdbc;

import io.pigeonhole.core.message.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A connection in a transaction, with the statements of its database and the database's clock. The clock is read once, at the
 * beginning or when somebody asks for it; from then on it goes on as this JVM counts nanoseconds. Used by one thread.
 */
final class PlainSession {
    private static final long LONG_WAIT_NANOS = Duration.ofMillis(200).toNanos();

    private final Connection connection;
    private final Dialect dialect;
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
    static PlainSession withoutClock(Connection connection, Dialect dialect) {
        return new PlainSession(connection, dialect);
    }

    private Instant readClock() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(dialect.text(LedgerStatement.NOW))) {
            row.next();
            Instant read = Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
            readNanos = System.nanoTime();
            return read;
        }
    }

    Connection connection() {
        return connection;
    }

    Dialect dialect() {
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

    /** The same as columns hold it. */
    LocalDateTime timestamp() throws SQLException {
        return timestamp(now());
    }

    static LocalDateTime timestamp(Instant instant) {
        return LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    /** Prepares a statement with its marked parts repeated so many times. */
    PreparedStatement prepare(PlainStatement statement, int... counts) throws SQLException {
        return StoreSchema.prepare(connection, dialect.text(statement), counts);
    }

    /**
     * Executes a statement once for each id, its only parameter, and answers how many rows that changed. Lists are for what
     * reads: MariaDB reads, and so locks, all of a table where a list names a large part of it.
     */
    long each(PlainStatement text, Collection<Long> ids) throws SQLException {
        if (ids.isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = prepare(text)) {
            for (Long id : ids) {
                statement.setLong(1, id);
                statement.addBatch();
            }
            return changed(statement.executeBatch());
        }
    }

    /**
     * Deletes rows that are locked, each by its id, and answers how many. An entry of an index may be somebody else's nevertheless,
     * such as one who has read the index alone: the row stays then. One by one, because a driver sends a batch as a whole, and each
     * of its statements would wait. Where a database waits at all, this ends with the first that did.
     */
    long deleteLocked(PlainStatement text, Collection<Long> ids) throws SQLException {
        long deleted = 0;
        try (PreparedStatement statement = prepare(text)) {
            for (Long id : ids) {
                long begun = System.nanoTime();
                try {
                    statement.setLong(1, id);
                    deleted += statement.executeUpdate();
                } catch (SQLException e) {
                    if (!dialect.isLockTimeout(e)) {
                        throw e;
                    }
                    if (System.nanoTime() - begun > LONG_WAIT_NANOS) {
                        return deleted;
                    }
                }
            }
        }
        return deleted;
    }

    /**
     * Locks rows by their ids, the parameters of a statement, and answers the ids of those that are locked: what somebody else
     * has locked is left out, and not waited for.
     */
    List<Long> lock(PlainStatement text, List<Long> ids) throws SQLException {
        List<Long> locked = new ArrayList<>();
        if (ids.isEmpty()) {
            return locked;
        }
        try (PreparedStatement statement = prepare(text, ids.size())) {
            bindNumbers(statement, 1, ids);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked.add(rows.getLong(1));
                }
            }
        }
        return locked;
    }

    /** Each as one where the driver does not count. */
    static long changed(int[] counts) {
        return IntStream.of(counts)
                .map(count -> count == Statement.SUCCESS_NO_INFO ? 1 : count)
                .sum();
    }

    /** Executes settings. */
    static void execute(Connection connection, List<String> statements) throws SQLException {
        if (statements.isEmpty()) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Binds keys from an index on. Returns the index of the next parameter. */
    static int bindKeys(PreparedStatement statement, int first, Iterable<MessageKey> keys) throws SQLException {
        int next = first;
        for (MessageKey key : keys) {
            statement.setBytes(next++, key.toBytes());
        }
        return next;
    }

    /** Binds numbers from an index on. Returns the index of the next parameter. */
    static int bindNumbers(PreparedStatement statement, int first, Iterable<? extends Number> numbers)
            throws SQLException {
        int next = first;
        for (Number number : numbers) {
            statement.setLong(next++, number.longValue());
        }
        return next;
    }
}
