package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.admin.TableSize;
import io.pigeonhole.core.admin.UpkeepEntry;
import io.pigeonhole.core.message.MessageKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads how much there is on PostgreSQL: what the catalog and the statistics say. */
final class PostgresSizes {
    private PostgresSizes() {}

    static Sizes read(Connection connection, Duration window) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            List<TableSize> tables = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(PostgresRetentionStatements.TABLE_SIZES)) {
                while (rows.next()) {
                    tables.add(new TableSize(rows.getString(1), rows.getLong(2), rows.getLong(3)));
                }
            }
            List<UpkeepEntry> upkeep = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(PostgresRetentionStatements.TASKS)) {
                while (rows.next()) {
                    upkeep.add(new UpkeepEntry(
                            rows.getString(1),
                            rows.getObject(2, OffsetDateTime.class).toInstant(),
                            !rows.getString(3).isEmpty(),
                            rows.getLong(4),
                            Duration.ofMillis(rows.getLong(5))));
                }
            }
            Duration longest;
            try (ResultSet row = statement.executeQuery(PostgresRetentionStatements.LONGEST_WINDOW)) {
                row.next();
                longest = longest(row, window);
            }
            try (ResultSet row = statement.executeQuery(PostgresRetentionStatements.READ)) {
                row.next();
                return of(
                        tables,
                        longest,
                        Instant.ofEpochMilli(row.getLong(1)),
                        MessageKey.of(row.getObject(2, UUID.class)),
                        MessageKey.of(row.getObject(3, UUID.class)),
                        upkeep);
            }
        }
    }

    /** The longest window that a program wants; a program's own where none has said. */
    static Duration longest(ResultSet row, Duration own) throws SQLException {
        long millis = row.getLong(1);
        return row.wasNull() ? own : Duration.ofMillis(millis);
    }

    /** The same for all databases. */
    static Sizes of(
            List<TableSize> tables,
            Duration window,
            Instant now,
            MessageKey oldest,
            MessageKey newest,
            List<UpkeepEntry> upkeep) {
        Instant end = Instant.ofEpochMilli(newest.epochMillis());
        long ahead = ChronoUnit.DAYS.between(
                LocalDate.ofInstant(now, ZoneOffset.UTC).plusDays(1), LocalDate.ofInstant(end, ZoneOffset.UTC));
        return new Sizes(
                tables, window, Instant.ofEpochMilli(oldest.epochMillis()), end, (int) Math.max(0, ahead), upkeep);
    }
}
