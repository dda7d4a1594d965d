package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.retention.DayDrop;
import io.pigeonhole.jdbc.retention.OldDay;
import io.pigeonhole.jdbc.retention.OldDays;
import io.pigeonhole.jdbc.retention.OldHistory;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drops days by a statement of the {@link Dialect}, which waits a second for open transactions. */
public final class DialectOldDays implements OldDays {
    private static final Logger LOG = LoggerFactory.getLogger(DialectOldDays.class);

    private static final String IN_THE_WAY =
            "no day is dropped yet, because long transactions are in the way; it tries again later";

    private final Dialect dialect;
    private final ShortTransactions transactions;
    private final OldHistory oldHistory;

    /** Partitions of which it was said that they stay. */
    private final Set<String> leftAlone = ConcurrentHashMap.newKeySet();

    DialectOldDays(Dialect dialect, ShortTransactions transactions, OldHistory oldHistory) {
        this.dialect = dialect;
        this.transactions = transactions;
        this.oldHistory = oldHistory;
    }

    /** Without partitions that have the name of a day, and another end. */
    @Override
    public List<OldDay> before(String table, LocalDate first) {
        List<OldDay> old = new ArrayList<>();
        if (!dialect.hasDays()) {
            return old;
        }
        try {
            transactions.withAutoCommit(connection -> {
                for (LocalDate day : dialect.days(connection, table)) {
                    if (day.isBefore(first) && endsWithDay(connection, table, day)) {
                        old.add(new OldDay(table, day, true, false));
                    }
                }
            });
        } catch (SQLException e) {
            throw transactions.refused("to list the days of " + table, e);
        }
        return old;
    }

    private boolean endsWithDay(Connection connection, String table, LocalDate day) throws SQLException {
        boolean ends = dialect.endsWithDay(connection, table, day);
        // Another node may have dropped it since it was listed.
        if (!ends && dialect.days(connection, table).contains(day) && leftAlone.add(table + " " + day)) {
            LOG.warn(
                    "the partition of {} that is named after {} is past its time, but stays: it does not end with that day, so it"
                            + " may hold what is younger. Divide it into days with REORGANIZE PARTITION, or drop it yourself when"
                            + " all that it holds may go",
                    table,
                    day);
        }
        return ends;
    }

    @Override
    public List<LocalDate> earlierIn(OldDay day) {
        return transactions.run(
                "to look for earlier days in the partition of " + day.day(),
                session -> dialect.earlierDays(session.connection(), day.day()));
    }

    /** Unless another program has dropped it meanwhile. */
    @Override
    public DayDrop drop(OldDay day) {
        DayDrop[] dropped = {DayDrop.LATER};
        try {
            transactions.withAutoCommit(SchemaLock.holding(dialect, connection -> {
                if (dialect.days(connection, day.table()).contains(day.day())
                        && dialect.endsWithDay(connection, day.table(), day.day())) {
                    dialect.dropDay(connection, day.table(), day.day());
                    dropped[0] = DayDrop.DONE;
                }
            }));
        } catch (SQLException e) {
            if (!dialect.isLockTimeout(e)) {
                throw transactions.refused("to drop a day", e);
            }
            LOG.info(IN_THE_WAY);
            return DayDrop.NONE_NOW;
        }
        return dropped[0];
    }

    /**
     * A replay may have been made since, or messages recorded, of other days or of these. Whoever is recording has to end first: what
     * he commits while the drop waits for him would go unseen.
     */
    @Override
    public DayDrop drop(OldDay day, List<LocalDate> earlier, String hold) {
        if (!oldHistory.isRecorded()) {
            LOG.info(IN_THE_WAY);
            return DayDrop.NONE_NOW;
        }
        if (!earlier.containsAll(earlierIn(day))) {
            return DayDrop.LATER;
        }
        List<LocalDate> going = new ArrayList<>(earlier);
        going.add(day.day());
        boolean exported = going.stream().allMatch(oldHistory::isExported);
        return exported && going.stream().noneMatch(oldHistory::isNeeded) ? drop(day) : DayDrop.LATER;
    }

    /** None: a day goes in one step. */
    @Override
    public List<OldDay> begunFrom(LocalDate first) {
        return List.of();
    }

    @Override
    public boolean giveBack(OldDay day) {
        return false;
    }
}
