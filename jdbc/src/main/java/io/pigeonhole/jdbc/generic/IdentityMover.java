package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.jdbc.counter.Counter;
import io.pigeonhole.jdbc.counter.CounterBehind;
import io.pigeonhole.jdbc.counter.CounterMover;
import io.pigeonhole.jdbc.counter.LargestNumbers;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves identity columns ahead, by {@code ALTER TABLE … RESTART}, which commits by itself. */
final class IdentityMover implements CounterMover {
    private static final Logger log = LoggerFactory.getLogger(IdentityMover.class);

    private final Dialect dialect;
    private final ShortTransactions transactions;

    IdentityMover(Dialect dialect, ShortTransactions transactions) {
        this.dialect = dialect;
        this.transactions = transactions;
    }

    @Override
    public Optional<CounterBehind> look(AdminSession session, Counter counter) throws SQLException {
        long largest = LargestNumbers.of(session, counter).largest();
        return largest == 0 ? Optional.empty() : CounterBehind.where(counter, next(session, counter), largest);
    }

    /** The largest of all where the database does not report it. */
    private static long next(AdminSession session, Counter counter) throws SQLException {
        try (Call call = session.call(CounterStatement.NEXT)) {
            return call.text("table", counter.table())
                    .text("column", counter.column())
                    .read(row -> {
                        if (!row.next()) {
                            return Long.MAX_VALUE;
                        }
                        long next = row.getLong(1);
                        return row.wasNull() ? Long.MAX_VALUE : next;
                    });
        }
    }

    /** While nobody else does: it may have been moved ahead meanwhile. */
    @Override
    public void moveAhead(CounterBehind found) {
        try {
            transactions.withAutoCommit(
                    SchemaLock.holding(dialect, connection -> restart(connection, found.counter())));
        } catch (SQLException e) {
            throw notMoved(e);
        }
    }

    /** All of it on one connection: a pool may have no second one. */
    private void restart(Connection connection, Counter counter) throws SQLException {
        Optional<CounterBehind> behind = transactions.runOn(connection, session -> look(session, counter));
        if (behind.filter(CounterBehind::isMovable).isPresent()) {
            restart(connection, behind.get());
        }
    }

    private void restart(Connection connection, CounterBehind behind) {
        String sql = String.format(
                Locale.ROOT,
                "ALTER TABLE %s ALTER COLUMN %s RESTART WITH %d",
                behind.counter().table(),
                behind.counter().column(),
                behind.largest() + 1);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            ErrorClass errorClass = dialect.classOf(e);
            if (errorClass == ErrorClass.RETRY_NOW || errorClass == ErrorClass.UNAVAILABLE) {
                throw notMoved(e);
            }
            throw new ConfigurationException(behind.refusal(sql), e);
        }
        log.warn("{}", behind.movedAhead());
    }

    private PigeonholeException notMoved(SQLException e) {
        return transactions.refused("to move the numbers of its rows ahead", e);
    }
}
