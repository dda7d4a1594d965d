package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the sequences behind the numbers that rows have. After {@code TRUNCATE … RESTART IDENTITY}, where rows were restored
 * without their sequences, and on a server that was filled by logical replication, which leaves sequences alone, they would
 * give those of other rows once more. Safe for use by many threads.
 */
final class PostgresNumbers {
    private static final Logger log = LoggerFactory.getLogger(PostgresNumbers.class);

    private static final String NO_RIGHT = "42501";

    private static final long INTERVAL = Duration.ofHours(1).toNanos();

    private static final int MOST_TRIES = 5;
    private static final long PAUSE = Duration.ofMillis(200).toNanos();

    private final ConnectionSource connections;
    private final LongSupplier nanos;
    private volatile long lookedAt;

    PostgresNumbers(ConnectionSource connections, LongSupplier nanos) {
        this.connections = connections;
        this.nanos = nanos;
        this.lookedAt = nanos.getAsLong() - INTERVAL;
    }

    /** The same as {@link #ensure}, unless it was done within the last hour. */
    void ensureHourly() {
        if (nanos.getAsLong() - lookedAt >= INTERVAL) {
            ensure();
        }
    }

    /**
     * Moves sequences ahead that are behind the rows, each also where another one cannot be moved. Changes nothing where they are
     * not behind.
     *
     * @throws ConfigurationException if that needs a right that the login lacks, with the statement to execute
     * @throws PigeonholeException if it is impossible for now, because others write to the table at every try
     */
    void ensure() {
        List<Behind> behind = Errand.run(connections, "to look at the numbers of its rows", PostgresNumbers::behind);
        PigeonholeException first = null;
        for (Behind each : behind) {
            try {
                moveAhead(each);
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (PigeonholeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
        lookedAt = nanos.getAsLong();
    }

    /** The same for whoever was refused: what a person has to do, or null where the numbers are right now. */
    @Nullable
    String ensureOrTell() {
        try {
            ensure();
            return null;
        } catch (ConfigurationException e) {
            return e.getMessage();
        }
    }

    /**
     * A sequence that is behind.
     *
     * @param counter whose
     * @param sequence its name in SQL
     * @param next the number that it would give
     * @param largest the largest one that is given
     */
    private record Behind(Counter counter, String sequence, long next, long largest) {
        String statement() {
            return "SELECT setval('" + sequence.replace("'", "''") + "', " + largest + ")";
        }
    }

    private static List<Behind> behind(Connection connection) throws SQLException {
        List<Behind> behind = new ArrayList<>();
        for (Counter counter : Counter.values()) {
            Behind found = behind(connection, counter);
            if (found != null) {
                behind.add(found);
            }
        }
        return behind;
    }

    /** Null where the sequence is not behind, or the login may not look at it. */
    private static @Nullable Behind behind(Connection connection, Counter counter) throws SQLException {
        String sequence;
        try (PreparedStatement statement = connection.prepareStatement(PostgresNumberStatements.SEQUENCE)) {
            statement.setString(1, counter.table());
            statement.setString(2, counter.table());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                sequence = row.getString(1);
            }
        }
        // The largest number first: one that is given meanwhile makes the sequence go on, and not the rows.
        long largest = PostgresLargestNumbers.of(connection, counter);
        long next = PostgresLargestNumbers.ask(connection, PostgresNumberStatements.NEXT.formatted(sequence));
        return next > largest || !counter.hasNumberBehind(largest)
                ? null
                : new Behind(counter, sequence, next, largest);
    }

    /** Whoever waits for the lock keeps others from writing meanwhile: so it waits shortly, and lets them pass between tries. */
    private void moveAhead(Behind found) {
        for (int i = 0; i < MOST_TRIES; i++) {
            if (isAheadAtOnce(found)) {
                return;
            }
            LockSupport.parkNanos(PAUSE);
        }
        throw new StoreException(ErrorClass.RETRY_NOW, found.counter().inUse(found.next(), found.largest()), null);
    }

    /** False where others write to the table. */
    private boolean isAheadAtOnce(Behind found) {
        return Errand.run(connections, "to move the numbers of its rows ahead", connection -> {
            try {
                lock(connection, found.counter());
                Behind now = behind(connection, found.counter());
                if (now != null) {
                    PostgresLargestNumbers.ask(connection, now.statement());
                    log.warn("{}", now.counter().movedAhead(now.next(), now.largest()));
                }
                return true;
            } catch (SQLException e) {
                if (PostgresStatements.NO_LOCK.equals(e.getSQLState())) {
                    connection.rollback();
                    return false;
                }
                if (NO_RIGHT.equals(e.getSQLState())) {
                    throw new ConfigurationException(
                            found.counter().refusal(found.next(), found.largest(), found.statement()), e);
                }
                throw e;
            }
        });
    }

    /** Nobody gets a number meanwhile, which the sequence might give once more. */
    private static void lock(Connection connection, Counter counter) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresNumberStatements.WAIT_SHORTLY);
            for (String table : counter.numbered()) {
                statement.execute(PostgresNumberStatements.LOCK.formatted(table));
            }
        }
    }
}
