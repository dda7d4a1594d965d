package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.PigeonholeException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes days off ledger and history: detaches, then drops. Detaching waits for those who use the table and keeps nobody from
 * it; interrupted it stays begun, and is ended by the next call. A table that is detached and not dropped is found by its
 * name, and by a comment that it got before; without that, a person has detached it. So each step can be repeated, and two
 * nodes that are at one day do no harm: one of them is refused. Safe for use by many threads.
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

    /** Somebody else is at it, or in the way: the next call goes on. */
    private static final Set<String> IN_THE_WAY = Set.of("55000", "42P01", "42809", "57014", "55P03", "40P01");

    private final ConnectionSource connections;

    PostgresOldDays(ConnectionSource connections) {
        this.connections = connections;
    }

    /**
     * A day of a table.
     *
     * @param table such as {@code inbox_ledger}
     * @param day in UTC
     * @param attached whether the table has it
     * @param pending whether somebody began to detach it
     */
    record OldDay(String table, LocalDate day, boolean attached, boolean pending) {}

    /** The days before another one, oldest first. */
    List<OldDay> before(Connection connection, String table, LocalDate first) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.DAYS)) {
            statement.setString(1, table);
            statement.setString(2, "^" + table + "_[0-9]{8}$");
            statement.setString(3, NAME.format(first));
            try (ResultSet rows = statement.executeQuery()) {
                List<OldDay> days = new ArrayList<>();
                while (rows.next()) {
                    LocalDate day = LocalDate.parse(rows.getString(1), NAME);
                    days.add(new OldDay(table, day, rows.getBoolean(2), rows.getBoolean(3)));
                }
                return days;
            }
        }
    }

    /**
     * Drops a day; false where somebody else is at it, in the way or done with it, and a later call goes on.
     *
     * @param hold what {@link JdbcReplays#unlessNeeded} holds meanwhile; {@link #NO_HOLD} where that is not so
     */
    boolean drop(OldDay old, String hold) {
        if (!take()) {
            return false;
        }
        try {
            return dropAsItIs(old, hold);
        } catch (SQLException e) {
            if (!IN_THE_WAY.contains(String.valueOf(e.getSQLState()))) {
                throw Refusals.byItself("to detach " + old, e);
            }
            LOG.info("{} is not detached yet: {}", old, e.getMessage());
            return false;
        } catch (PigeonholeException e) {
            if (e.getCause() instanceof SQLException cause
                    && IN_THE_WAY.contains(String.valueOf(cause.getSQLState()))) {
                LOG.info("{} is not dropped yet: {}", old, cause.getMessage());
                return false;
            }
            throw e;
        } finally {
            release();
        }
    }

    /** Another node may have gone on with it, or have dropped it, since it was listed. */
    private boolean dropAsItIs(OldDay listed, String hold) throws SQLException {
        Optional<OldDay> found =
                Errand.run(connections, "to look for " + listed, connection -> find(connection, listed));
        if (found.isEmpty()) {
            return false;
        }
        OldDay old = found.get();
        detach(old);
        return Errand.run(connections, "to drop " + old, connection -> dropDetached(connection, old, hold));
    }

    /** As it is now; empty where it is gone, or a person has detached it. */
    private Optional<OldDay> find(Connection connection, OldDay old) throws SQLException {
        return before(connection, old.table(), old.day().plusDays(1)).stream()
                .filter(found -> found.day().equals(old.day()))
                .findFirst();
    }

    /**
     * A day of the history goes while no run over the history can be made. Where the node was stopped for longer than it holds
     * that off, a run may have been made before the day was detached: it gets the day back.
     */
    private boolean dropDetached(Connection connection, OldDay old, String hold) throws SQLException {
        if (find(connection, old).isEmpty()) {
            return false;
        }
        if (old.table().equals(HISTORY) && !isHeld(connection, hold) && isNeeded(connection, old)) {
            execute(connection, PostgresRetentionStatements.ATTACH, old);
            execute(connection, PostgresRetentionStatements.UNMARK, old);
            LOG.info("{} stays, since a replay was made while it went", old);
            return false;
        }
        execute(connection, PostgresRetentionStatements.DROP, old);
        return true;
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
            Errand.run(
                    connections,
                    "to finish detaching " + old,
                    connection -> execute(connection, PostgresRetentionStatements.FINALIZE, old));
        } else if (old.attached()) {
            comment(old, PostgresRetentionStatements.MARK);
            try {
                detachAttached(old);
            } catch (SQLException | RuntimeException e) {
                unmark(old);
                throw e;
            }
        }
    }

    private void comment(OldDay old, String sql) {
        Errand.run(connections, "to comment on " + old, connection -> execute(connection, sql, old));
    }

    /** A day that stays attached may be detached by a person before the next try, to be kept. */
    private void unmark(OldDay old) {
        try {
            Optional<OldDay> now = Errand.run(connections, "to look for " + old, connection -> find(connection, old));
            if (now.isPresent() && !now.get().pending()) {
                comment(old, PostgresRetentionStatements.UNMARK);
            }
        } catch (PigeonholeException e) {
            LOG.debug("{} keeps the comment that it is to be dropped", old, e);
        }
    }

    private void detachAttached(OldDay old) throws SQLException {
        try (Connection connection = Errand.open(connections)) {
            if (connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_CONCURRENTLY) {
                detachConcurrently(connection, old);
                return;
            }
        }
        Errand.run(
                connections,
                "to detach " + old,
                connection -> execute(connection, PostgresRetentionStatements.DETACH_AT_ONCE, old));
    }

    private static void detachConcurrently(Connection connection, OldDay old) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        boolean readOnly = connection.isReadOnly();
        connection.setAutoCommit(true);
        connection.setReadOnly(false);
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(LONGEST_DETACH_SECONDS);
            statement.execute(text(PostgresRetentionStatements.DETACH, old));
        } finally {
            reset(connection, readOnly, autoCommit);
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
