package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.store.StoreException;
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

    private final ShortTransactions transactions;
    private final LongSupplier nanos;
    private volatile long lookedAt;

    PostgresNumbers(ShortTransactions transactions, LongSupplier nanos) {
        this.transactions = transactions;
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
        List<Behind> behind = transactions.run("to look at the numbers of its rows", PostgresNumbers::behind);
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

    private static List<Behind> behind(AdminSession session) throws SQLException {
        List<Behind> behind = new ArrayList<>();
        for (Counter counter : Counter.values()) {
            Behind found = behind(session, counter);
            if (found != null) {
                behind.add(found);
            }
        }
        return behind;
    }

    /** Null where the sequence is not behind, or the login may not look at it. */
    private static @Nullable Behind behind(AdminSession session, Counter counter) throws SQLException {
        String sequence;
        try (Call call = session.call(PostgresNumberStatement.SEQUENCE)) {
            sequence = call.text("table", counter.table()).first(row -> row.getString(1));
        }
        if (sequence == null) {
            return null;
        }
        // The largest number first: one that is given meanwhile makes the sequence go on, and not the rows.
        long largest = PostgresLargestNumbers.of(session, counter);
        long next = PostgresLargestNumbers.ask(
                session.connection(),
                session.statements().sql(PostgresNumberStatement.NEXT).formatted(sequence));
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
        return transactions.run("to move the numbers of its rows ahead", session -> {
            try {
                lock(session, found.counter());
                Behind now = behind(session, found.counter());
                if (now != null) {
                    PostgresLargestNumbers.ask(session.connection(), now.statement());
                    log.warn("{}", now.counter().movedAhead(now.next(), now.largest()));
                }
                return true;
            } catch (SQLException e) {
                if (PostgresStatements.NO_LOCK.equals(e.getSQLState())) {
                    session.connection().rollback();
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
    private static void lock(AdminSession session, Counter counter) throws SQLException {
        Statements statements = session.statements();
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(statements.sql(PostgresNumberStatement.WAIT_SHORTLY));
            for (String table : counter.numbered()) {
                statement.execute(statements.sql(PostgresNumberStatement.LOCK).formatted(table));
            }
        }
    }
}
