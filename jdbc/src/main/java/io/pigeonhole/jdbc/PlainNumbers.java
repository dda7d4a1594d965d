package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the numbers that the database gives to rows behind all that rows have. After a TRUNCATE, or where rows were restored
 * without the counter, it would give those of other rows once more. Safe for use by many threads.
 */
final class PlainNumbers {
    private static final Logger log = LoggerFactory.getLogger(PlainNumbers.class);

    /** How often a place is looked for that others may take at the same time. */
    static final int MOST_TRIES = 5;

    private final ShortTransactions transactions;
    private final Dialect dialect;

    PlainNumbers(ShortTransactions transactions, Dialect dialect) {
        this.transactions = transactions;
        this.dialect = dialect;
    }

    /**
     * Moves counters ahead that are behind the rows, each also where another one cannot be moved. Changes nothing where they are not
     * behind.
     *
     * @throws ConfigurationException if the database refuses that, with the statement to execute
     * @throws PigeonholeException if it is impossible for now
     */
    void ensure() {
        String doing = "to look at the numbers of its rows";
        if (dialect.countsNumbersOfRows()) {
            transactions.run(doing, session -> takeLargest(PlainSession.of(session)));
            return;
        }
        Map<Counter, Behind> behind = transactions.run(doing, session -> behind(PlainSession.of(session)));
        if (!behind.isEmpty()) {
            try {
                transactions.withAutoCommit(SchemaLock.holding(dialect, this::restart));
            } catch (SQLException e) {
                throw notMoved(e);
            }
        }
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
     * The largest numbers that rows of a counter's own table have, and that others have.
     *
     * @param own in its table
     * @param elsewhere in other tables
     */
    private record Largest(long own, long elsewhere) {
        long of() {
            return Math.max(own, elsewhere);
        }
    }

    /**
     * A counter that is behind.
     *
     * @param next the number that it would give
     * @param largest the largest one that is given
     */
    private record Behind(long next, long largest) {}

    private static Map<Counter, Largest> largest(PlainSession session) throws SQLException {
        try (Call call = session.call(NumberStatement.LARGEST)) {
            return call.read(row -> {
                row.next();
                Map<Counter, Largest> largest = new EnumMap<>(Counter.class);
                int column = 1;
                for (Counter counter : Counter.values()) {
                    largest.put(counter, new Largest(row.getLong(column), row.getLong(column + 1)));
                    column += 2;
                }
                return largest;
            });
        }
    }

    private static Map<Counter, Behind> behind(PlainSession session) throws SQLException {
        Map<Counter, Behind> behind = new EnumMap<>(Counter.class);
        for (Map.Entry<Counter, Largest> entry : largest(session).entrySet()) {
            Counter counter = entry.getKey();
            long largest = entry.getValue().of();
            if (largest == 0 || !counter.hasNumberBehind(largest)) {
                continue;
            }
            long next = next(session, counter);
            if (next <= largest) {
                behind.put(counter, new Behind(next, largest));
            }
        }
        return behind;
    }

    /** The largest of all where the database does not tell. */
    private static long next(PlainSession session, Counter counter) throws SQLException {
        try (Call call = session.call(NumberStatement.NEXT)) {
            return call.text("table", counter.table()).read(row -> {
                if (!row.next()) {
                    return Long.MAX_VALUE;
                }
                long next = row.getLong(1);
                return row.wasNull() ? Long.MAX_VALUE : next;
            });
        }
    }

    /** While nobody else does: what is behind may have been moved ahead meanwhile. Each, also where another one cannot be moved. */
    private void restart(Connection connection) throws SQLException {
        PigeonholeException first = null;
        for (Map.Entry<Counter, Behind> entry : transactions
                .runOn(connection, session -> behind(PlainSession.of(session)))
                .entrySet()) {
            try {
                restart(connection, entry.getKey(), entry.getValue());
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
    }

    private void restart(Connection connection, Counter counter, Behind at) {
        String sql = String.format(
                Locale.ROOT, "ALTER TABLE %s ALTER COLUMN id RESTART WITH %d", counter.table(), at.largest() + 1);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            ErrorClass errorClass = dialect.classOf(e);
            if (errorClass == ErrorClass.RETRY_NOW || errorClass == ErrorClass.UNAVAILABLE) {
                throw notMoved(e);
            }
            throw new ConfigurationException(counter.refusal(at.next(), at.largest(), sql), e);
        }
        log.warn("{}", counter.movedAhead(at.next(), at.largest()));
    }

    private PigeonholeException notMoved(SQLException e) {
        return transactions.refused("to move the numbers of its rows ahead", e);
    }

    /** A row with the largest number, for a moment: the counter goes on behind it, or has done so already. */
    private static boolean takeLargest(PlainSession session) throws SQLException {
        for (Map.Entry<Counter, Largest> entry : largest(session).entrySet()) {
            Largest largest = entry.getValue();
            if (largest.elsewhere() > largest.own()) {
                take(session, entry.getKey(), largest.elsewhere());
            }
        }
        return true;
    }

    private static void take(PlainSession session, Counter counter, long number) throws SQLException {
        try {
            switch (counter) {
                case ARRIVAL -> takeWork(session, number);
                case HISTORY -> {
                    try (Call call = session.call(NumberStatement.TAKE_HISTORY)) {
                        call.number("id", number).key(anyKey()).now().change();
                    }
                    session.change(NumberStatement.FREE_HISTORY, number);
                }
                case CONSUMER -> {
                    try (Call call = session.call(NumberStatement.TAKE_CONSUMER)) {
                        call.number("id", number)
                                .text("name", UUID.randomUUID().toString())
                                .now()
                                .change();
                    }
                    session.change(NumberStatement.FREE_CONSUMER, number);
                }
                case ATTEMPT, AUDIT -> {} // No other table has their numbers.
            }
        } catch (SQLException e) {
            // Somebody has brought the row back meanwhile, and so moved the counter.
            if (!session.dialect().isDuplicateKey(e)) {
                throw e;
            }
        }
    }

    /** Fails where a row has the number, and waits for whoever is giving or taking it. */
    private static void takeWork(PlainSession session, long number) throws SQLException {
        try (Call call = session.call(NumberStatement.TAKE_WORK)) {
            call.number("id", number)
                    .key(anyKey())
                    .bytes("headers", new byte[0])
                    .now()
                    .change();
        }
        session.change(WorkStatement.FINISH, number);
    }

    /** A place behind all messages, for one whose own place another message has. The counter need not know of it. */
    static long behindAll(PlainSession session) throws SQLException {
        for (int i = 0; i < MOST_TRIES; i++) {
            try (Call call = session.call(NumberStatement.BEHIND_ALL)) {
                long number = call.read(row -> {
                    row.next();
                    return row.getLong(1);
                });
                takeWork(session, number);
                return number;
            } catch (SQLException e) {
                if (!session.dialect().isDuplicateKey(e)) {
                    throw e;
                }
            }
        }
        throw noneIsFree();
    }

    /** Others were faster each time. */
    static StoreException noneIsFree() {
        return new StoreException(
                ErrorClass.RETRY_NOW,
                "no place in the order of arrival was free at " + MOST_TRIES + " tries, because others took them",
                null);
    }

    /** As good as none has it. */
    static MessageKey anyKey() {
        return MessageKey.of(UUID.randomUUID());
    }
}
