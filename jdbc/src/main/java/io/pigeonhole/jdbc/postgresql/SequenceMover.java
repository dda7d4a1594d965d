package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.jdbc.counter.Counter;
import io.pigeonhole.jdbc.counter.CounterBehind;
import io.pigeonhole.jdbc.counter.CounterMover;
import io.pigeonhole.jdbc.counter.LargestNumbers;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves sequences of PostgreSQL ahead, by {@code setval}. */
final class SequenceMover implements CounterMover {
    private static final Logger log = LoggerFactory.getLogger(SequenceMover.class);

    private static final int MOST_TRIES = 5;
    private static final long PAUSE = Duration.ofMillis(200).toNanos();

    private final ShortTransactions transactions;

    SequenceMover(ShortTransactions transactions) {
        this.transactions = transactions;
    }

    /** Empty too where the login may not look at the sequence. */
    @Override
    public Optional<CounterBehind> look(AdminSession session, Counter counter) throws SQLException {
        String sequence = sequence(session, counter);
        return sequence == null ? Optional.empty() : look(session, counter, sequence);
    }

    /** The largest number first: one that is given meanwhile makes the sequence go on, and not the rows. */
    private static Optional<CounterBehind> look(AdminSession session, Counter counter, String sequence)
            throws SQLException {
        long largest =
                Math.max(LargestNumbers.of(session, counter).largest(), LargestNumbersOfDays.of(session, counter));
        return CounterBehind.where(counter, next(session, sequence), largest);
    }

    /** Its name in SQL, or null. */
    private static @Nullable String sequence(AdminSession session, Counter counter) throws SQLException {
        try (Call call = session.call(SequenceStatement.SEQUENCE)) {
            return call.text("table", counter.table()).first(row -> row.getString(1));
        }
    }

    private static long next(AdminSession session, String sequence) throws SQLException {
        String sql = session.statements().sql(SequenceStatement.NEXT).formatted(sequence);
        try (Statement statement = session.connection().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static String setval(String sequence, long largest) {
        return "SELECT setval('" + sequence.replace("'", "''") + "', " + largest + ")";
    }

    /** Whoever waits for the lock keeps others from writing meanwhile: so it waits shortly, and lets them pass between tries. */
    @Override
    public void moveAhead(CounterBehind found) {
        for (int i = 0; i < MOST_TRIES; i++) {
            if (isAheadAtOnce(found)) {
                return;
            }
            LockSupport.parkNanos(PAUSE);
        }
        throw new StoreException(ErrorClass.RETRY_NOW, found.inUse(), null);
    }

    /** False where others write to the table. */
    private boolean isAheadAtOnce(CounterBehind found) {
        return transactions.run("to move the numbers of its rows ahead", session -> {
            String sequence = sequence(session, found.counter());
            return sequence == null || isAheadAtOnce(session, found, sequence);
        });
    }

    private static boolean isAheadAtOnce(AdminSession session, CounterBehind found, String sequence)
            throws SQLException {
        try {
            lock(session, found.counter());
            Optional<CounterBehind> now =
                    look(session, found.counter(), sequence).filter(CounterBehind::isMovable);
            if (now.isPresent()) {
                execute(session, setval(sequence, now.get().largest()));
                log.warn("{}", now.get().movedAhead());
            }
            return true;
        } catch (SQLException e) {
            if (PostgresStates.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                session.connection().rollback();
                return false;
            }
            if (PostgresStates.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                throw new ConfigurationException(found.refusal(setval(sequence, found.largest())), e);
            }
            throw e;
        }
    }

    /** Nobody gets a number meanwhile, which the sequence might give once more. */
    private static void lock(AdminSession session, Counter counter) throws SQLException {
        Statements statements = session.statements();
        execute(session, statements.sql(SequenceStatement.WAIT_SHORTLY));
        for (String table : counter.numbered()) {
            execute(session, statements.sql(SequenceStatement.LOCK).formatted(table));
        }
    }

    private static void execute(AdminSession session, String sql) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute(sql);
        }
    }
}
