package io.pigeonhole.jdbc.admin;

import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.admin.TableSize;
import io.pigeonhole.core.admin.UpkeepEntry;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.OwnTables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads how much there is: what the catalog and the statistics say. */
public final class StoreSizes {
    private StoreSizes() {}

    /**
     * Reads all of it.
     *
     * @param window what this program wants, which holds where no program has said
     */
    public static Sizes read(AdminSession session, Duration window) throws SQLException {
        Days days = days(session);
        long ahead = ChronoUnit.DAYS.between(
                LocalDate.ofInstant(session.now(), ZoneOffset.UTC).plusDays(1),
                LocalDate.ofInstant(days.end(), ZoneOffset.UTC));
        return new Sizes(
                tables(session),
                longest(session, window),
                days.begin(),
                days.end(),
                (int) Math.max(0, ahead),
                upkeep(session));
    }

    private static List<TableSize> tables(AdminSession session) throws SQLException {
        try (Call call = session.call(SizeStatement.TABLES)) {
            return call.all(StoreSizes::table).stream()
                    .filter(table -> OwnTables.has(table.name()))
                    .sorted(Comparator.comparing(TableSize::name))
                    .toList();
        }
    }

    private static TableSize table(ResultSet row) throws SQLException {
        return new TableSize(row.getString(1).toLowerCase(Locale.ROOT), row.getLong(2), number(row, 3));
    }

    private static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    private static List<UpkeepEntry> upkeep(AdminSession session) throws SQLException {
        try (Call call = session.call(SizeStatement.TASKS)) {
            return call.all(row -> new UpkeepEntry(
                    row.getString(1),
                    session.rows().instant(row, 2),
                    !row.getString(3).isEmpty(),
                    row.getLong(4),
                    Duration.ofMillis(row.getLong(5))));
        }
    }

    private static Duration longest(AdminSession session, Duration own) throws SQLException {
        try (Call call = session.call(SizeStatement.LONGEST_WINDOW)) {
            return Objects.requireNonNull(call.first(row -> {
                Long millis = number(row, 1);
                return millis == null ? own : Duration.ofMillis(millis);
            }));
        }
    }

    /** Where the ledger begins and ends. */
    private record Days(Instant begin, Instant end) {}

    private static Days days(AdminSession session) throws SQLException {
        try (Call call = session.call(LedgerQuery.BOUNDS)) {
            return Objects.requireNonNull(call.first(row -> new Days(
                    instant(session.rows().key(row, 1)), instant(session.rows().key(row, 2)))));
        }
    }

    private static Instant instant(MessageKey key) {
        return Instant.ofEpochMilli(key.epochMillis());
    }
}
