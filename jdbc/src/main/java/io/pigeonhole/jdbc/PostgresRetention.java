package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Forgets what is past its time, a piece at each call: first days of the ledger, then days of the history, then rows.
 *
 * <p>A day of the ledger goes in three steps. The horizon is raised and committed: from then on no claim brings a key of that
 * day. The day is detached, which waits for the claims that still saw the old horizon. It is dropped. A key below the horizon
 * is late, and no row of it is looked for. Safe for use by many threads and many programs.
 */
final class PostgresRetention {
    private static final String LEDGER = "inbox_ledger";
    private static final String HISTORY = "inbox_history";

    /** So many rows of the ledger lie on a page, about. */
    private static final int ROWS_OF_PAGE = 100;

    private final ConnectionSource connections;
    private final RetentionSettings settings;
    private final RetentionRules rules;
    private final PostgresOldDays days;
    private final OldHistory oldHistory;
    private final OldReplays oldReplays;

    PostgresRetention(
            ConnectionSource connections,
            RetentionSettings settings,
            RetentionRules rules,
            OldHistory oldHistory,
            OldReplays oldReplays) {
        this.rules = rules;
        this.oldReplays = oldReplays;
        this.oldHistory = oldHistory;
        this.connections = connections;
        this.settings = settings;
        this.days = new PostgresOldDays(connections);
    }

    /** Where the store stands: the database's clock, and the days that the ledger has. */
    private record Position(Instant now, LocalDate oldest, LocalDate end) {}

    Retired retire() {
        RetentionLimits limits = rules.look();
        if (limits == null) {
            return Retired.NOTHING;
        }
        Position position = Errand.run(connections, "to read the horizon", PostgresRetention::read);
        if (settings.rests(position.now())) {
            return Retired.NOTHING;
        }
        List<PostgresOldDays.OldDay> old = oldDays(position, limits);
        for (PostgresOldDays.OldDay day : old) {
            boolean free = day.table().equals(LEDGER) || !day.attached();
            if (free || oldHistory.mayGo(day.day())) {
                if (free
                        ? days.drop(day, PostgresOldDays.NO_HOLD)
                        : oldHistory.letGo(day.day(), false, hold -> days.drop(day, hold))) {
                    return new Retired(1, 0, true);
                }
                // Where the oldest cannot go yet, neither can the others: one detaches at a time.
                break;
            }
        }
        Retired rows = purgeDigests(limits.window());
        if (!rows.more()) {
            rows = purge("inbox_attempt", PostgresRetentionStatements.PURGE_ATTEMPTS, limits.attempts());
        }
        if (!rows.more()) {
            rows = purge("inbox_audit", PostgresRetentionStatements.PURGE_AUDIT, limits.audit());
        }
        return rows.more() ? rows : oldReplays.retire(limits);
    }

    private static Position read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(PostgresRetentionStatements.READ)) {
            if (!row.next()) {
                throw new ConfigurationException(
                        "inbox_horizon has no row: put back the one that the schema came with");
            }
            return new Position(
                    Instant.ofEpochMilli(row.getLong(1)),
                    dayOf(row.getObject(2, UUID.class)),
                    dayOf(row.getObject(3, UUID.class)));
        }
    }

    private static LocalDate dayOf(UUID key) {
        return LocalDate.ofInstant(Instant.ofEpochMilli(MessageKey.of(key).epochMillis()), ZoneOffset.UTC);
    }

    /** The days that are past their time; those of the ledger are behind the horizon, which is committed. */
    private List<PostgresOldDays.OldDay> oldDays(Position position, RetentionLimits limits) {
        LocalDate kept = RetentionSettings.firstDayKept(position.now(), limits.window());
        LocalDate oldest = kept.isAfter(position.end()) ? position.end() : kept;
        if (position.oldest().isBefore(oldest)) {
            Errand.run(connections, "to raise the horizon to " + oldest, connection -> raise(connection, oldest));
        }
        // Where somebody set a shorter window once, the horizon stays where it is.
        LocalDate horizon = position.oldest().isBefore(oldest) ? oldest : position.oldest();
        LocalDate keptHistory = RetentionSettings.firstDayKept(position.now(), limits.history());
        return Errand.run(connections, "to list the days", connection -> {
            List<PostgresOldDays.OldDay> old = new ArrayList<>(days.before(connection, LEDGER, horizon));
            old.addAll(days.before(connection, HISTORY, keptHistory));
            return old;
        });
    }

    private static boolean raise(Connection connection, LocalDate day) throws SQLException {
        UUID key = MessageKey.firstOf(
                        day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli())
                .toUuid();
        try (PreparedStatement statement = connection.prepareStatement(PostgresRetentionStatements.RAISE_HORIZON)) {
            statement.setObject(1, key);
            statement.setObject(2, key);
            return statement.executeUpdate() == 1;
        }
    }

    /** A table and its size. */
    private record Pages(String table, long count) {}

    private Retired purgeDigests(Duration window) {
        List<Pages> tables = Errand.run(connections, "to list the tables of keys", connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(PostgresRetentionStatements.DIGEST_TABLES)) {
                List<Pages> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(new Pages(rows.getString(1), rows.getLong(2)));
                }
                return found;
            }
        });
        for (Pages pages : tables) {
            PostgresUpkeep.Piece piece = new PostgresUpkeep(pages.table(), window)
                    .next(connections, (connection, place) -> purgePages(connection, pages, place, window));
            if (piece != null) {
                return new Retired(0, piece.deleted(), true);
            }
        }
        return Retired.NOTHING;
    }

    /**
     * Rows are appended, so that neighbours are of one age and a page is read and written once; the room that they leave is
     * used again, which mixes the ages. So a pass goes over all pages.
     */
    private PostgresUpkeep.Piece purgePages(Connection connection, Pages pages, String place, Duration window)
            throws SQLException {
        long from = place.isEmpty() ? 0 : Long.parseLong(place);
        long to = from + Math.max(1, settings.batch() / ROWS_OF_PAGE);
        try (PreparedStatement statement =
                connection.prepareStatement(PostgresRetentionStatements.PURGE_DIGEST.formatted(pages.table()))) {
            statement.setString(1, "(" + from + ",0)");
            statement.setString(2, "(" + to + ",0)");
            statement.setLong(3, window.toMillis());
            int deleted = statement.executeUpdate();
            return new PostgresUpkeep.Piece(to < pages.count() ? String.valueOf(to) : "", deleted);
        }
    }

    private Retired purge(String table, String sql, Duration retention) {
        PostgresUpkeep.Piece piece = new PostgresUpkeep(table, retention).next(connections, (connection, place) -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setLong(1, place.isEmpty() ? 0 : Long.parseLong(place));
                statement.setLong(2, retention.toMillis());
                statement.setInt(3, settings.batch());
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    boolean over = row.getLong(2) < settings.batch();
                    return new PostgresUpkeep.Piece(over ? "" : String.valueOf(row.getLong(1)), row.getLong(3));
                }
            }
        });
        return piece == null ? Retired.NOTHING : new Retired(0, piece.deleted(), true);
    }
}
