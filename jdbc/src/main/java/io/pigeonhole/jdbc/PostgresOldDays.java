package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.message.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
 * name, by a comment that it got before, and by a row of {@code inbox_upkeep} that tells our detaching from that of a person,
 * whose tables stay. So each step can be repeated, and two nodes that are at one day do no harm: one of them is refused. Safe
 * for use by many threads.
 */
final class PostgresOldDays {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresOldDays.class);
    private static final DateTimeFormatter NAME = DateTimeFormatter.BASIC_ISO_DATE;
    private static final int FIRST_WITH_CONCURRENTLY = 14;
    private static final String HISTORY = "inbox_history";

    /** For a day that runs over the history do not need, or that is not theirs any more. */
    static final String NO_HOLD = "none";

    private static final String TASK = "days";

    /** How long it waits for those who use the table. */
    private static final int LONGEST_DETACH_SECONDS = 60;

    /** How long others leave it to a node that may have died. */
    private static final Duration LEASE = Duration.ofMinutes(2);

    /** A person began to detach a day, and has to finalize it: PostgreSQL detaches one at a time, and says so. */
    private static final String OTHER_IS_PENDING = "55000";

    /** Somebody else is at it, or in the way: the next call goes on. */
    private static final Set<String> IN_THE_WAY = Set.of(OTHER_IS_PENDING, "42P01", "42809", "57014", "55P03", "40P01");

    private final ConnectionSource connections;
    private final OldHistory oldHistory;
    private final Set<String> leftAlone = ConcurrentHashMap.newKeySet();

    PostgresOldDays(ConnectionSource connections, OldHistory oldHistory) {
        this.connections = connections;
        this.oldHistory = oldHistory;
    }

    /**
     * A day of a table.
     *
     * @param table such as {@code inbox_ledger}
     * @param day in UTC
     * @param attached whether the table has it
     * @param pending whether we began to detach it
     */
    record OldDay(String table, LocalDate day, boolean attached, boolean pending) {
        String name() {
            return table + "_" + NAME.format(day);
        }

        boolean isOfHistory() {
            return table.equals(HISTORY);
        }

        /** Whether the table has it in full, so that its rows are seen there. */
        boolean isWhole() {
            return attached && !pending;
        }
    }

    /** The days before another one, oldest first. */
    List<OldDay> before(Connection connection, String table, LocalDate first) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.DAYS)) {
            statement.setString(1, table);
            statement.setString(2, "^" + table + "_[0-9]{8}$");
            statement.setString(3, NAME.format(first));
            try (ResultSet rows = statement.executeQuery()) {
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
                    } else if (day != null
                            && (!attached || isWhole(table, day, rows.getString(4), rows.getString(5)))) {
                        days.add(new OldDay(table, day, attached, rows.getBoolean(3)));
                    } else {
                        leave(table + "_" + name, "is not the day in UTC that its name says");
                    }
                }
                return days;
            }
        }
    }

    /** The days of the history from one on that we detached, or began to, although they are not past their time now. */
    List<OldDay> detachedFrom(LocalDate first) {
        return Errand.run(connections, "to list detached days", connection -> detachedFrom(connection, first));
    }

    private List<OldDay> detachedFrom(Connection connection, LocalDate first) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.DETACHED_HISTORY)) {
            statement.setString(1, NAME.format(first));
            try (ResultSet rows = statement.executeQuery()) {
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
        }
    }

    /** Attaches a day again, unless somebody else is at it or in the way, and a later call tries it again. */
    boolean giveBack(OldDay listed) {
        if (!take()) {
            return false;
        }
        try {
            Optional<OldDay> found = Errand.run(
                    connections, "to look for " + listed, connection -> findDetached(connection, listed.day()));
            if (found.isPresent() && found.get().pending()) {
                change(found.get(), "to finish detaching ", PostgresRetentionStatements.FINALIZE);
            }
            return Errand.run(
                    connections, "to give back " + listed, connection -> giveBackDetached(connection, listed));
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

    private Optional<OldDay> findDetached(Connection connection, LocalDate day) throws SQLException {
        return detachedFrom(connection, day).stream()
                .filter(found -> found.day().equals(day))
                .findFirst();
    }

    private boolean giveBackDetached(Connection connection, OldDay listed) throws SQLException {
        if (findDetached(connection, listed.day()).isEmpty()) {
            return false;
        }
        giveBack(connection, listed);
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

    static String bound(String table, LocalDate day) {
        long millis = day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
        return table.equals(HISTORY)
                ? String.valueOf(millis)
                : MessageKey.firstOf(millis).toUuid().toString();
    }

    /**
     * Drops a day, unless somebody else is at it, in the way or done with it, and a later call goes on.
     *
     * @param hold what {@link JdbcReplays#unlessNeeded} holds meanwhile; {@link #NO_HOLD} where that is not so
     */
    DayDrop drop(OldDay old, String hold) {
        if (!take()) {
            return DayDrop.NONE_NOW;
        }
        try {
            return dropAsItIs(old, hold);
        } catch (SQLException e) {
            if (!IN_THE_WAY.contains(String.valueOf(e.getSQLState()))) {
                throw Refusals.byItself("to detach " + old, e);
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
        Optional<OldDay> found =
                Errand.run(connections, "to look for " + listed, connection -> find(connection, listed));
        if (found.isEmpty()) {
            return DayDrop.LATER;
        }
        OldDay old = found.get();
        detach(old);
        boolean archived = !old.isOfHistory() || isArchived(old, hold);
        return Errand.run(connections, "to drop " + old, connection -> dropDetached(connection, old, archived, hold))
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
        Errand.run(connections, "to hold replays off", connection -> renew(connection, hold));
        return oldHistory.isExported(old.day(), () -> rowsOf(old));
    }

    /** Where it has ended, a replay may have been made: whether one needs the day is asked when it is dropped. */
    private static boolean renew(Connection connection, String hold) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.RENEW_HOLD)) {
            statement.setString(1, hold);
            return statement.executeUpdate() == 1;
        }
    }

    /** What an export could not see: the table is not attached any more. */
    private long rowsOf(OldDay old) {
        return Errand.run(connections, "to count " + old, connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(text(PostgresRetentionStatements.COUNT, old))) {
                return row.next() ? row.getLong(1) : 0;
            }
        });
    }

    /** As it is now; empty where it is gone, or a person has detached it. */
    private Optional<OldDay> find(Connection connection, OldDay old) throws SQLException {
        return before(connection, old.table(), old.day().plusDays(1)).stream()
                .filter(found -> found.day().equals(old.day()))
                .findFirst();
    }

    /**
     * A day of the history goes while no run over the history can be made. Where the node was stopped for longer than it holds
     * that off, a run may have been made before the day was detached: it gets the day back. So does the archive, where another
     * program detached the day that has none.
     */
    private boolean dropDetached(Connection connection, OldDay old, boolean archived, String hold) throws SQLException {
        Optional<OldDay> found = find(connection, old);
        // Another program may have given it back meanwhile, because it wants the day for longer.
        if (found.isEmpty() || found.get().attached()) {
            return false;
        }
        if (!archived || (old.isOfHistory() && !isHeld(connection, hold) && isNeeded(connection, old))) {
            giveBack(connection, old);
            LOG.info("{} stays, since {}", old, archived ? "a replay was made while it went" : "the archive lacks it");
            return false;
        }
        execute(connection, PostgresRetentionStatements.DROP, old);
        return true;
    }

    /** As it was before: a constraint that detaching left would not be added by the next one, which would not look like ours. */
    private static void giveBack(Connection connection, OldDay old) throws SQLException {
        execute(connection, PostgresRetentionStatements.ATTACH, old);
        List<String> left = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(text(PostgresRetentionStatements.LEFT_CHECKS, old))) {
            while (rows.next()) {
                left.add(rows.getString(1));
            }
        }
        for (String check : left) {
            execute(connection, PostgresRetentionStatements.DROP_CHECK.replace("%4$s", check.replace("%", "%%")), old);
        }
        execute(connection, PostgresRetentionStatements.UNMARK, old);
    }

    private static boolean isHeld(Connection connection, String hold) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.HOLD_HISTORY)) {
            statement.setString(1, hold);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private static boolean isNeeded(Connection connection, OldDay old) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(text(PostgresRetentionStatements.IS_NEEDED, old))) {
            return row.next() && row.getBoolean(1);
        }
    }

    private void detach(OldDay old) throws SQLException {
        if (old.pending()) {
            change(old, "to finish detaching ", PostgresRetentionStatements.FINALIZE);
        } else if (old.attached()) {
            change(old, "to mark ", PostgresRetentionStatements.MARK);
            try {
                detachAttached(old);
            } catch (SQLException | RuntimeException e) {
                unmark(old);
                throw e;
            }
        }
    }

    private void change(OldDay old, String doing, String sql) {
        Errand.run(connections, doing + old, connection -> execute(connection, sql, old));
    }

    /** A day that stays attached may be detached by a person before the next try, to be kept. */
    private void unmark(OldDay old) {
        try {
            Optional<OldDay> now = Errand.run(connections, "to look for " + old, connection -> find(connection, old));
            if (now.isPresent() && now.get().isWhole()) {
                change(old, "to unmark ", PostgresRetentionStatements.UNMARK);
            }
        } catch (PigeonholeException e) {
            LOG.debug("{} keeps the comment that it is to be dropped", old, e);
        }
    }

    private void detachAttached(OldDay old) throws SQLException {
        boolean concurrently;
        try (Connection connection = Errand.open(connections)) {
            concurrently = connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_CONCURRENTLY;
            if (concurrently) {
                detachConcurrently(connection, old);
            }
        }
        change(
                old,
                "to detach ",
                concurrently ? PostgresRetentionStatements.NOTE_DETACHED : PostgresRetentionStatements.DETACH_AT_ONCE);
    }

    private static void detachConcurrently(Connection connection, OldDay old) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        boolean readOnly = connection.isReadOnly();
        connection.setAutoCommit(true);
        connection.setReadOnly(false);
        try {
            detachAlone(connection, old);
        } finally {
            reset(connection, readOnly, autoCommit);
        }
    }

    /** In no transaction that could be told to write: where the session only reads by default, that is lifted for it. */
    private static void detachAlone(Connection connection, OldDay old) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean onlyReads = onlyReads(statement);
            if (onlyReads) {
                statement.execute(PostgresRetentionStatements.WRITE);
            }
            try {
                statement.setQueryTimeout(LONGEST_DETACH_SECONDS);
                statement.execute(text(PostgresRetentionStatements.DETACH, old));
            } finally {
                if (onlyReads) {
                    onlyReadAgain(connection);
                }
            }
        }
    }

    private static boolean onlyReads(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(PostgresRetentionStatements.ONLY_READS)) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static void onlyReadAgain(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresRetentionStatements.ONLY_READ);
        } catch (SQLException e) {
            LOG.debug("a connection could not be set back to read only: it is ended", e);
            Errand.abort(connection);
        }
    }

    private static void reset(Connection connection, boolean readOnly, boolean autoCommit) {
        try {
            connection.setReadOnly(readOnly);
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            LOG.debug("a connection could not be reset: it is left to its pool to notice", e);
        }
    }

    private static boolean execute(Connection connection, String sql, OldDay old) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(text(sql, old));
        }
    }

    private static String text(String sql, OldDay old) {
        return sql.formatted(
                old.table(), NAME.format(old.day()), NAME.format(old.day().plusDays(1)));
    }

    private boolean take() {
        return Errand.run(connections, "to begin with old days", connection -> {
            PostgresUpkeep.add(connection, TASK);
            try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.TAKE_TASK)) {
                statement.setLong(1, LEASE.toMillis());
                statement.setString(2, TASK);
                return statement.executeUpdate() == 1;
            }
        });
    }

    private void release() {
        try {
            Errand.run(connections, "to end with old days", connection -> {
                try (PreparedStatement statement =
                        connection.prepareStatement(PostgresRetentionStatements.RELEASE_TASK)) {
                    statement.setString(1, TASK);
                    return statement.executeUpdate();
                }
            });
        } catch (PigeonholeException e) {
            LOG.debug("others wait for {} before they go on with old days", LEASE, e);
        }
    }
}
