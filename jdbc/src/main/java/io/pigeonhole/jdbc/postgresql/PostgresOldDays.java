package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.retention.DayDrop;
import io.pigeonhole.jdbc.retention.OldDay;
import io.pigeonhole.jdbc.retention.OldDays;
import io.pigeonhole.jdbc.retention.OldHistory;
import io.pigeonhole.jdbc.retention.Upkeep;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.Refusals;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.Sql;
import io.pigeonhole.jdbc.sql.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Takes days off ledger and history: detaches, then drops. Detaching waits for those who use the table and keeps nobody from
 * it; interrupted it stays begun, and is ended by the next call. A table that is detached and not dropped is found by its
 * name, by a comment that it got before, and by a row of {@code inbox_upkeep} that distinguishes our detaching from that of
 * a person, whose tables stay. So each step can be repeated, and two nodes that are at one day do no harm: one of them is
 * refused. A day of the ledger is detached behind the ledger's bounds, which waits for the claims that still saw the old one.
 */
public final class PostgresOldDays implements OldDays {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresOldDays.class);
    private static final DateTimeFormatter NAME = DateTimeFormatter.BASIC_ISO_DATE;
    private static final int FIRST_WITH_CONCURRENTLY = 14;

    /** For a day that runs over the history do not need, or that is not theirs any more. */
    private static final String NO_HOLD = "none";

    private static final String TASK = "days";

    /** How long it waits for those who use the table. */
    private static final int LONGEST_DETACH_SECONDS = 60;

    /** How long others leave it to a node that may have died. */
    private static final Duration LEASE = Duration.ofMinutes(2);

    /** A person began to detach a day, and has to finalize it: PostgreSQL detaches one at a time, and says so. */
    private static final String OTHER_IS_PENDING = "55000";

    /** Somebody else is at it, or in the way: the next call goes on. */
    private static final Set<String> IN_THE_WAY = Set.of(OTHER_IS_PENDING, "42P01", "42809", "57014", "55P03", "40P01");

    private final ShortTransactions transactions;
    private final OldHistory oldHistory;
    private final Set<String> leftAlone = ConcurrentHashMap.newKeySet();

    PostgresOldDays(ShortTransactions transactions, OldHistory oldHistory) {
        this.transactions = transactions;
        this.oldHistory = oldHistory;
    }

    @Override
    public List<OldDay> before(String table, LocalDate first) {
        return transactions.run("to list the days of " + table, session -> before(session, table, first));
    }

    /** None: a partition has the messages of its day only. */
    @Override
    public List<LocalDate> earlierIn(OldDay day) {
        return List.of();
    }

    private List<OldDay> before(AdminSession session, String table, LocalDate first) throws SQLException {
        try (Call call = session.call(PartitionStatement.DAYS)) {
            return call.text("table", table)
                    .text("names", "^" + table + "_[0-9]{8}$")
                    .text("before", NAME.format(first))
                    .read(rows -> read(rows, table));
        }
    }

    private List<OldDay> read(ResultSet rows, String table) throws SQLException {
        List<OldDay> days = new ArrayList<>();
        while (rows.next()) {
            String name = rows.getString(1);
            boolean attached = rows.getBoolean(2);
            LocalDate day = dayOf(name);
            String otherSchema = rows.getString(6);
            if (rows.getBoolean(7)) {
                leaveDetached(table + "_" + name);
            } else if (otherSchema != null) {
                leave(otherSchema + "." + table + "_" + name, "does not lie in the schema of " + table);
            } else if (day != null && (!attached || isWhole(table, day, rows.getString(4), rows.getString(5)))) {
                days.add(new OldDay(table, day, attached, rows.getBoolean(3)));
            } else {
                leave(table + "_" + name, "is not the day in UTC that its name says");
            }
        }
        return days;
    }

    /** Those that we detached, or began to. */
    @Override
    public List<OldDay> begunFrom(LocalDate first) {
        return transactions.run("to list detached days", session -> detachedFrom(session, first));
    }

    private List<OldDay> detachedFrom(AdminSession session, LocalDate first) throws SQLException {
        try (Call call = session.call(PartitionStatement.DETACHED_HISTORY)) {
            return call.text("first", NAME.format(first)).read(this::readDetached);
        }
    }

    private List<OldDay> readDetached(ResultSet rows) throws SQLException {
        List<OldDay> days = new ArrayList<>();
        while (rows.next()) {
            LocalDate day = dayOf(rows.getString(1));
            boolean pending = rows.getBoolean(2);
            if (!rows.getBoolean(3)) {
                leaveOut(HISTORY + "_" + rows.getString(1));
            } else if (day != null) {
                days.add(new OldDay(HISTORY, day, pending, pending));
            }
        }
        return days;
    }

    /** Attaches it again. */
    @Override
    public boolean giveBack(OldDay listed) {
        if (!take()) {
            return false;
        }
        try {
            Optional<OldDay> found =
                    transactions.run("to look for " + listed, session -> findDetached(session, listed.day()));
            if (found.isPresent() && found.get().pending()) {
                change(found.get(), "to finish detaching ", PartitionStatement.FINISH_DETACHING);
            }
            return transactions.run("to give back " + listed, session -> giveBackDetached(session, listed));
        } catch (PigeonholeException e) {
            if (e.getCause() instanceof SQLException cause
                    && IN_THE_WAY.contains(String.valueOf(cause.getSQLState()))) {
                LOG.info("{} is not attached again yet: {}", listed.name(), cause.getMessage());
                return false;
            }
            throw e;
        } finally {
            release();
        }
    }

    private Optional<OldDay> findDetached(AdminSession session, LocalDate day) throws SQLException {
        return detachedFrom(session, day).stream()
                .filter(found -> found.day().equals(day))
                .findFirst();
    }

    private boolean giveBackDetached(AdminSession session, OldDay listed) throws SQLException {
        if (findDetached(session, listed.day()).isEmpty()) {
            return false;
        }
        giveBack(session, listed);
        LOG.warn(
                "{} is attached again: a node had detached it, to drop it, and a program wants the history for longer by now."
                        + " A replay that was made meanwhile does not have its messages",
                listed.name());
        return true;
    }

    private void leaveOut(String partition) {
        if (leftAlone.add(partition)) {
            LOG.warn(
                    "{} is detached, although its day is not past its time any more: either a node died while it detached it,"
                            + " or you did so, after a node had begun. Replays do not have its messages. Attach it again, or"
                            + " keep it as it is: COMMENT ON TABLE {} IS NULL",
                    partition,
                    partition);
        }
    }

    private void leave(String partition, String why) {
        if (leftAlone.add(partition)) {
            LOG.warn(
                    "{} is past its time, but stays: it {}. Rename it, move it, detach it, or drop it", partition, why);
        }
    }

    /** PostgreSQL leaves no trace of who detached it where it adds no constraint, or the table had that already. */
    private void leaveDetached(String partition) {
        if (leftAlone.add(partition)) {
            LOG.warn(
                    "{} is past its time and detached, but stays: either a node died while it detached it, to drop it, or you"
                            + " did so, to keep it, after a node had begun, or restored it. Drop the table, or keep it: COMMENT ON"
                            + " TABLE {} IS NULL",
                    partition,
                    partition);
        }
    }

    private static @Nullable LocalDate dayOf(String name) {
        try {
            return LocalDate.parse(name, NAME);
        } catch (DateTimeParseException e) {
            LOG.debug("{} is no day", name, e);
            return null;
        }
    }

    /** Whether a partition is that day: a person may have attached one that holds more. */
    private static boolean isWhole(String table, LocalDate day, @Nullable String from, @Nullable String to) {
        return bound(table, day).equals(from) && bound(table, day.plusDays(1)).equals(to);
    }

    public static String bound(String table, LocalDate day) {
        long millis = day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
        return table.equals(HISTORY)
                ? String.valueOf(millis)
                : MessageKey.firstOf(millis).toUuid().toString();
    }

    @Override
    public DayDrop drop(OldDay old) {
        return drop(old, NO_HOLD);
    }

    @Override
    public DayDrop drop(OldDay old, List<LocalDate> earlier, String hold) {
        return drop(old, hold);
    }

    private DayDrop drop(OldDay old, String hold) {
        if (!take()) {
            return DayDrop.NONE_NOW;
        }
        try {
            return dropAsItIs(old, hold);
        } catch (SQLException e) {
            if (!IN_THE_WAY.contains(String.valueOf(e.getSQLState()))) {
                throw Refusals.byItself(SqlStates.ERRORS, "to detach " + old, e);
            }
            LOG.atLevel(OTHER_IS_PENDING.equals(e.getSQLState()) ? Level.WARN : Level.INFO)
                    .log("{} is not detached yet: {}", old, e.getMessage());
            return DayDrop.NONE_NOW;
        } catch (PigeonholeException e) {
            if (e.getCause() instanceof SQLException cause
                    && IN_THE_WAY.contains(String.valueOf(cause.getSQLState()))) {
                LOG.info("{} is not dropped yet: {}", old, cause.getMessage());
                return DayDrop.LATER;
            }
            throw e;
        } finally {
            release();
        }
    }

    /** Another node may have gone on with it, or have dropped it, since it was listed. */
    private DayDrop dropAsItIs(OldDay listed, String hold) throws SQLException {
        Optional<OldDay> found = transactions.run("to look for " + listed, session -> find(session, listed));
        if (found.isEmpty()) {
            return DayDrop.LATER;
        }
        OldDay old = found.get();
        detach(old);
        boolean archived = !old.isOfHistory() || isArchived(old, hold);
        return transactions.run("to drop " + old, session -> dropDetached(session, old, archived, hold))
                ? DayDrop.DONE
                : DayDrop.LATER;
    }

    /**
     * Where replays are held off, the archive was asked right before that, because it reads all that it has of the day: here only
     * what was recorded since then could be missing. The hold begins anew, since detaching may have taken most of it.
     */
    private boolean isArchived(OldDay old, String hold) {
        if (hold.equals(NO_HOLD)) {
            return oldHistory.isInArchive(old.day(), () -> rowsOf(old));
        }
        transactions.run("to hold replays off", session -> renew(session, hold));
        return oldHistory.isExported(old.day(), () -> rowsOf(old));
    }

    /** Where it has ended, a replay may have been made: whether one needs the day is asked when it is dropped. */
    private static boolean renew(AdminSession session, String hold) throws SQLException {
        try (Call call = session.call(PartitionStatement.RENEW_HOLD)) {
            return call.text("hold", hold).change() == 1;
        }
    }

    /** What an export could not see: the table is not attached any more. */
    private long rowsOf(OldDay old) {
        return transactions.run("to count " + old, session -> {
            try (Call call = call(session, PartitionStatement.COUNT, old)) {
                return call.read(row -> row.next() ? row.getLong(1) : 0L);
            }
        });
    }

    /** As it is now; empty where it is gone, or a person has detached it. */
    private Optional<OldDay> find(AdminSession session, OldDay old) throws SQLException {
        return before(session, old.table(), old.day().plusDays(1)).stream()
                .filter(found -> found.day().equals(old.day()))
                .findFirst();
    }

    /**
     * A day of the history goes while no run over the history can be made. Where the node was stopped for longer than it holds
     * that off, a run may have been made before the day was detached: it gets the day back. So does the archive, where another
     * program detached the day that has none.
     */
    private boolean dropDetached(AdminSession session, OldDay old, boolean archived, String hold) throws SQLException {
        Optional<OldDay> found = find(session, old);
        // Another program may have given it back meanwhile, because it wants the day for longer.
        if (found.isEmpty() || found.get().attached()) {
            return false;
        }
        if (!archived || (old.isOfHistory() && !isHeld(session, hold) && isNeeded(session, old))) {
            giveBack(session, old);
            LOG.info("{} stays, since {}", old, archived ? "a replay was made while it went" : "the archive lacks it");
            return false;
        }
        execute(session, PartitionStatement.DROP, old);
        return true;
    }

    /** As it was before: a constraint that detaching left would not be added by the next one, which would not look like ours. */
    private static void giveBack(AdminSession session, OldDay old) throws SQLException {
        execute(session, PartitionStatement.ATTACH, old);
        List<String> left;
        try (Call call = call(session, PartitionStatement.LEFT_CHECKS, old)) {
            left = call.all(row -> row.getString(1));
        }
        for (String check : left) {
            execute(session.connection(), text(session.statements(), PartitionStatement.DROP_CHECK, old, check));
        }
        execute(session, PartitionStatement.UNMARK, old);
    }

    private static boolean isHeld(AdminSession session, String hold) throws SQLException {
        try (Call call = session.call(PartitionStatement.HOLD_HISTORY)) {
            return call.text("hold", hold).read(row -> row.next() && row.getBoolean(1));
        }
    }

    private static boolean isNeeded(AdminSession session, OldDay old) throws SQLException {
        try (Call call = call(session, PartitionStatement.IS_NEEDED, old)) {
            return call.read(row -> row.next() && row.getBoolean(1));
        }
    }

    private void detach(OldDay old) throws SQLException {
        if (old.pending()) {
            change(old, "to finish detaching ", PartitionStatement.FINISH_DETACHING);
        } else if (old.attached()) {
            change(old, "to mark ", PartitionStatement.MARK);
            try {
                detachAttached(old);
            } catch (SQLException | RuntimeException e) {
                unmark(old);
                throw e;
            }
        }
    }

    private void change(OldDay old, String doing, PartitionStatement statement) {
        transactions.run(doing + old, session -> execute(session, statement, old));
    }

    /** A day that stays attached may be detached by a person before the next try, to be kept. */
    private void unmark(OldDay old) {
        try {
            Optional<OldDay> now = transactions.run("to look for " + old, session -> find(session, old));
            if (now.isPresent() && now.get().isWhole()) {
                change(old, "to unmark ", PartitionStatement.UNMARK);
            }
        } catch (PigeonholeException e) {
            LOG.debug("{} keeps the comment that it is to be dropped", old, e);
        }
    }

    private void detachAttached(OldDay old) throws SQLException {
        boolean[] concurrently = {false};
        transactions.withAutoCommit(connection -> {
            concurrently[0] = connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_CONCURRENTLY;
            if (concurrently[0]) {
                detachAlone(connection, old);
            }
        });
        change(
                old,
                "to detach ",
                concurrently[0] ? PartitionStatement.NOTE_DETACHED : PartitionStatement.DETACH_AT_ONCE);
    }

    /** In no transaction, whose mode could be set: where the session only reads by default, that is lifted for it. */
    private void detachAlone(Connection connection, OldDay old) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean onlyReads = onlyReads(statement);
            if (onlyReads) {
                statement.execute(statements().sql(PartitionStatement.WRITE));
            }
            try {
                statement.setQueryTimeout(LONGEST_DETACH_SECONDS);
                statement.execute(text(statements(), PartitionStatement.DETACH, old, ""));
            } finally {
                if (onlyReads) {
                    onlyReadAgain(connection);
                }
            }
        }
    }

    private boolean onlyReads(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(statements().sql(PartitionStatement.ONLY_READS))) {
            return row.next() && row.getBoolean(1);
        }
    }

    private void onlyReadAgain(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements().sql(PartitionStatement.ONLY_READ));
        } catch (SQLException e) {
            LOG.debug("a connection could not be set back to read only: it is ended", e);
            Connections.abort(connection);
        }
    }

    private Statements statements() {
        return transactions.statements();
    }

    private static boolean execute(AdminSession session, PartitionStatement statement, OldDay old) throws SQLException {
        return execute(session.connection(), text(session.statements(), statement, old, ""));
    }

    private static boolean execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }

    private static Call call(AdminSession session, PartitionStatement statement, OldDay old) throws SQLException {
        Sql.Text text = session.statements().get(statement).text(1);
        return session.call(text.as(text(session.statements(), statement, old, "")));
    }

    private static String text(Statements statements, PartitionStatement statement, OldDay old, String constraint) {
        return statements
                .sql(statement)
                .formatted(
                        old.table(),
                        NAME.format(old.day()),
                        NAME.format(old.day().plusDays(1)),
                        constraint);
    }

    private boolean take() {
        return transactions.run("to begin with old days", session -> {
            Upkeep.add(session, TASK, session.now());
            try (Call call = session.call(PartitionStatement.TAKE_TASK)) {
                return call.number("lease", LEASE.toMillis()).text("task", TASK).change() == 1;
            }
        });
    }

    private void release() {
        try {
            transactions.run("to end with old days", session -> {
                try (Call call = session.call(PartitionStatement.RELEASE_TASK)) {
                    return call.text("task", TASK).change();
                }
            });
        } catch (PigeonholeException e) {
            LOG.debug("others wait for {} before they go on with old days", LEASE, e);
        }
    }
}
