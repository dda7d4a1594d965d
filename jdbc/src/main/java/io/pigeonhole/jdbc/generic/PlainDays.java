package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.LedgerDay;
import io.pigeonhole.jdbc.postgresql.LedgerDays;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps enough days ahead, as {@link LedgerDays} does. A day is created first, by a statement that commits by itself, and
 * then the ledger's bounds are moved behind it; a crash between leaves a day that the next run finds. Safe for use by many threads
 * and many programs; the ledger's bounds only ever grows.
 */
public final class PlainDays {
    private static final Logger LOG = LoggerFactory.getLogger(PlainDays.class);

    private static final long MILLIS_OF_DAY = 86_400_000L;

    private final ShortTransactions transactions;
    private final Dialect dialect;
    private final int ahead;

    public PlainDays(ShortTransactions transactions, Dialect dialect, int ahead) {
        this.transactions = transactions;
        this.dialect = dialect;
        this.ahead = ahead;
    }

    /** Creates the days that are missing, oldest first. Where one cannot be had yet and today is there, the next run will. */
    public void ensure() {
        Bounds bounds = read();
        if (!bounds.end().isBefore(bounds.last(ahead))) {
            return;
        }
        LedgerDay.requireNear(bounds.end(), bounds.last(ahead));
        try {
            transactions.withAutoCommit(SchemaLock.holding(dialect, this::addMissing));
        } catch (SQLException e) {
            Bounds reached = read();
            if (transactions.isLockTimeout(e) && reached.end().isAfter(reached.today())) {
                LOG.warn(
                        "the ledger got no day after {}, because long transactions are in the way; it has days until {} and"
                                + " tries again",
                        reached.end().minusDays(1),
                        reached.end());
                return;
            }
            throw transactions.refused("a new day of the ledger or the history", e);
        }
    }

    /** All of it on one connection: a pool may have no second one. */
    private void addMissing(Connection connection) throws SQLException {
        Bounds bounds = transactions.runOn(connection, PlainDays::read);
        for (LocalDate day = bounds.end(); day.isBefore(bounds.last(ahead)); day = day.plusDays(1)) {
            dialect.addDay(connection, day);
            byte[] end = LedgerDay.firstKey(day.plusDays(1));
            transactions.runOn(connection, session -> {
                try (Call call = session.call(LedgerStatement.EXTEND_LEDGER)) {
                    return call.bytes("newest", end).change();
                }
            });
        }
    }

    private Bounds read() {
        return transactions.run("to read the ledger's bounds", PlainDays::read);
    }

    private static Bounds read(AdminSession session) throws SQLException {
        try (Call call = session.call(LedgerQuery.BOUNDS)) {
            MessageKey newest = call.first(row -> PlainColumns.key(row, 2));
            if (newest == null) {
                throw new ConfigurationException(
                        "inbox_ledger_bounds has no row: put back the one that the schema came with");
            }
            LocalDate end = LocalDate.ofEpochDay(Math.floorDiv(newest.epochMillis(), MILLIS_OF_DAY));
            return new Bounds(end, LocalDate.ofInstant(session.now(), ZoneOffset.UTC));
        }
    }

    /**
     * Where the ledger stands.
     *
     * @param end the first day that it does not have
     * @param today by the database's clock
     */
    private record Bounds(LocalDate end, LocalDate today) {
        /** The first day that it need not have. */
        LocalDate last(int ahead) {
            return today.plusDays(ahead + 1L);
        }
    }
}
