package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Keeps enough days ahead: partitions of the ledger and of the history, named by their day in UTC, each created in a short
 * transaction that also moves the horizon. Days are data, not schema. Safe for use by many threads and many programs; the
 * horizon only ever grows.
 */
final class LedgerDays {
    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");
    private static final long MILLIS_OF_DAY = 86_400_000L;

    private final ConnectionSource connections;
    private final int ahead;

    LedgerDays(ConnectionSource connections, int ahead) {
        this.connections = connections;
        this.ahead = ahead;
    }

    /** Creates the days that are missing, oldest first; a crash leaves those that are complete. */
    void ensure() {
        Missing missing = Errand.run(connections, "to read the horizon", this::read);
        for (LocalDate day : missing.ofLedger()) {
            Errand.run(connections, "a new day of the ledger", connection -> addToLedger(connection, day));
        }
        for (LocalDate day : missing.ofHistory()) {
            Errand.run(connections, "a new day of the history", connection -> addToHistory(connection, day));
        }
    }

    private static boolean addToLedger(Connection connection, LocalDate day) throws SQLException {
        lock(connection);
        if (!readHorizon(connection).end().equals(day)) {
            return false; // Another program was here first.
        }
        UUID from = firstKey(day);
        UUID to = firstKey(day.plusDays(1));
        add(connection, "inbox_ledger", day, from.toString(), to.toString());
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.EXTEND_LEDGER)) {
            statement.setObject(1, to);
            statement.setObject(2, to);
            return statement.executeUpdate() == 1;
        }
    }

    private boolean addToHistory(Connection connection, LocalDate day) throws SQLException {
        lock(connection);
        if (!isMissing(connection, day)) {
            return false;
        }
        add(connection, "inbox_history", day, day + " 00:00:00+00", day.plusDays(1) + " 00:00:00+00");
        return true;
    }

    private static boolean isMissing(Connection connection, LocalDate day) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.LACKS_TABLE)) {
            statement.setString(1, "inbox_history_" + NAME.format(day));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private static void add(Connection connection, String table, LocalDate day, String from, String to)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresStatements.ADD_DAY.formatted(table, NAME.format(day), from, to));
        }
    }

    private Missing read(Connection connection) throws SQLException {
        Horizon horizon = readHorizon(connection);
        LocalDate end = horizon.today().plusDays(ahead + 1L);
        List<LocalDate> ofHistory = new ArrayList<>();
        for (LocalDate day = horizon.today(); day.isBefore(end); day = day.plusDays(1)) {
            if (isMissing(connection, day)) {
                ofHistory.add(day);
            }
        }
        LocalDate first = horizon.end();
        return new Missing(first.isBefore(end) ? first.datesUntil(end).toList() : List.of(), ofHistory);
    }

    private static Horizon readHorizon(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(PostgresStatements.END_OF_LEDGER)) {
            if (!row.next()) {
                throw new ConfigurationException(
                        "inbox_horizon has no row: put back the one that the schema came with");
            }
            MessageKey newest = MessageKey.of(row.getObject(1, UUID.class));
            LocalDate end = LocalDate.ofEpochDay(Math.floorDiv(newest.epochMillis(), MILLIS_OF_DAY));
            return new Horizon(end, LocalDate.ofEpochDay(row.getLong(2)));
        }
    }

    private static void lock(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresStatements.LOCK_SCHEMA);
        }
    }

    private static UUID firstKey(LocalDate day) {
        return MessageKey.firstOf(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli())
                .toUuid();
    }

    /**
     * Where the ledger stands.
     *
     * @param end the first day that it does not have
     * @param today by the database's clock
     */
    private record Horizon(LocalDate end, LocalDate today) {}

    /** The days to create. */
    private record Missing(List<LocalDate> ofLedger, List<LocalDate> ofHistory) {}
}
