package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.admin.TableSize;
import io.pigeonhole.core.admin.UpkeepEntry;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Reads how much there is: what the catalog estimates. */
final class PlainSizes {
    private PlainSizes() {}

    static Sizes read(PlainSession session, Duration window) throws SQLException {
        List<TableSize> tables = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(RetentionStatement.TABLE_SIZES);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                String name = rows.getString(1).toLowerCase(Locale.ROOT);
                if (name.startsWith("inbox_")) {
                    long bytes = rows.getLong(3);
                    tables.add(new TableSize(name, rows.getLong(2), rows.wasNull() ? null : bytes));
                }
            }
        }
        tables.sort(Comparator.comparing(TableSize::name));
        List<UpkeepEntry> upkeep = new ArrayList<>();
        try (PreparedStatement statement = session.prepare(RetentionStatement.TASKS);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                upkeep.add(new UpkeepEntry(
                        rows.getString(1),
                        PlainColumns.instant(rows, 2),
                        !rows.getString(3).isEmpty(),
                        rows.getLong(4),
                        Duration.ofMillis(rows.getLong(5))));
            }
        }
        Duration longest;
        try (PreparedStatement statement = session.prepare(RetentionStatement.LONGEST_WINDOW);
                ResultSet row = statement.executeQuery()) {
            row.next();
            longest = PostgresSizes.longest(row, window);
        }
        try (PreparedStatement statement = session.prepare(LedgerStatement.HORIZON);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return PostgresSizes.of(
                    tables, longest, session.now(), PlainColumns.key(row, 1), PlainColumns.key(row, 2), upkeep);
        }
    }
}
