package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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

    private final ShortTransactions transactions;
    private final RetentionSettings settings;
    private final RetentionRules rules;
    private final PostgresOldDays days;
    private final OldHistory oldHistory;
    private final OldReplays oldReplays;
    private final FailedSteps steps;

    PostgresRetention(
            ShortTransactions transactions,
            RetentionSettings settings,
            RetentionRules rules,
            OldHistory oldHistory,
            OldReplays oldReplays,
            FailedSteps steps) {
        this.steps = steps;
        this.rules = rules;
        this.oldReplays = oldReplays;
        this.oldHistory = oldHistory;
        this.transactions = transactions;
        this.settings = settings;
        this.days = new PostgresOldDays(transactions, oldHistory);
    }

    /** Where the store stands: the database's clock, and the days that the ledger has. */
    private record Position(Instant now, LocalDate oldest, LocalDate end) {}

    Retired retire() {
        FreshLook fresh = rules.begin();
        RetentionLook look = fresh.now();
        if (look == null) {
            return Retired.NOTHING;
        }
        RetentionLimits limits = look.limits();
        Position position = transactions.run("to read the horizon", PostgresRetention::read);
        look.requireSameClock(position.now());
        if (settings.rests(position.now())) {
            return Retired.NOTHING;
        }
        return steps.firstOf(
                new FailedSteps.Step("to forget days of the ledger", () -> dropDaysOfLedger(position, limits)),
                new FailedSteps.Step(
                        "to give days of the history back",
                        () -> fresh.use(now -> giveBackDays(position, now.limits()))),
                new FailedSteps.Step(
                        "to forget days of the history",
                        () -> fresh.use(now -> dropDaysOfHistory(position, now.limits(), fresh))),
                new FailedSteps.Step("to forget keys without a time", () -> fresh.use(this::purgeDigests)),
                new FailedSteps.Step(
                        "to forget attempts",
                        () -> fresh.use(now -> purge(
                                "inbox_attempt",
                                PostgresRetentionStatement.PURGE_ATTEMPTS,
                                now,
                                now.limits().attempts()))),
                new FailedSteps.Step(
                        "to forget what people did",
                        () -> fresh.use(now -> purge(
                                "inbox_audit",
                                PostgresRetentionStatement.PURGE_AUDIT,
                                now,
                                now.limits().audit()))),
                new FailedSteps.Step("to forget replays", () -> fresh.use(oldReplays::retire)));
    }

    private Retired dropDaysOfLedger(Position position, RetentionLimits limits) {
        return dropOne(oldOfLedger(position, limits), day -> days.drop(day, PostgresOldDays.NO_HOLD));
    }

    private Retired dropDaysOfHistory(Position position, RetentionLimits limits, FreshLook fresh) {
        return dropOne(oldOfHistory(position, limits), day -> dropOfHistory(day, position, fresh));
    }

    /** Those that a node detached to drop them, and died, where a program wants them for longer since then. */
    private Retired giveBackDays(Position position, RetentionLimits limits) {
        LocalDate kept = RetentionSettings.firstDayKept(position.now(), limits.history());
        for (PostgresOldDays.OldDay day : days.detachedFrom(kept)) {
            steps.attempt("to give " + day.name() + " back", false, () -> days.giveBack(day));
        }
        return Retired.NOTHING;
    }

    /** Drops one of the days of a table, the oldest that can be dropped now. */
    private Retired dropOne(List<PostgresOldDays.OldDay> old, Function<PostgresOldDays.OldDay, DayDrop> dropping) {
        for (PostgresOldDays.OldDay day : old) {
            DayDrop drop = steps.attempt("to drop " + day.name(), DayDrop.LATER, () -> dropping.apply(day));
            if (drop != DayDrop.LATER) {
                return drop == DayDrop.DONE ? new Retired(1, 0, true) : Retired.NOTHING;
            }
        }
        return Retired.NOTHING;
    }

    /** Its export may take hours: another program may have said meanwhile that it wants the day. */
    private DayDrop dropOfHistory(PostgresOldDays.OldDay day, Position position, FreshLook fresh) {
        // Nobody sees the rows of a day that its table lacks already: whether it may go is asked when it is dropped.
        if (!day.isWhole()) {
            if (!isPast(day, position, fresh.now())) {
                return DayDrop.LATER;
            }
            return days.drop(day, PostgresOldDays.NO_HOLD);
        }
        return oldHistory.mayGo(day.day()) && isPast(day, position, fresh.now())
                ? oldHistory.letGo(day.day(), DayDrop.LATER, hold -> days.drop(day, hold))
                : DayDrop.LATER;
    }

    private static boolean isPast(PostgresOldDays.OldDay day, Position position, @Nullable RetentionLook look) {
        return look != null
                && day.day()
                        .isBefore(RetentionSettings.firstDayKept(
                                position.now(), look.limits().history()));
    }

    private static Position read(AdminSession session) throws SQLException {
        Position position;
        try (Call call = session.call(PostgresRetentionStatement.HORIZON)) {
            position = call.first(row -> new Position(
                    Instant.ofEpochMilli(row.getLong(1)),
                    dayOf(row.getObject(2, UUID.class)),
                    dayOf(row.getObject(3, UUID.class))));
        }
        if (position == null) {
            throw new ConfigurationException("inbox_horizon has no row: put back the one that the schema came with");
        }
        return position;
    }

    private static LocalDate dayOf(UUID key) {
        return LocalDate.ofInstant(Instant.ofEpochMilli(MessageKey.of(key).epochMillis()), ZoneOffset.UTC);
    }

    /** The days of the ledger that are past their time, behind the horizon, which is committed. */
    private List<PostgresOldDays.OldDay> oldOfLedger(Position position, RetentionLimits limits) {
        LocalDate kept = RetentionSettings.firstDayKept(position.now(), limits.window());
        LocalDate oldest = kept.isAfter(position.end()) ? position.end() : kept;
        if (position.oldest().isBefore(oldest)) {
            transactions.run("to raise the horizon to " + oldest, session -> raise(session, oldest));
        }
        // Where somebody set a shorter window once, the horizon stays where it is.
        return before(LEDGER, position.oldest().isBefore(oldest) ? oldest : position.oldest());
    }

    private List<PostgresOldDays.OldDay> oldOfHistory(Position position, RetentionLimits limits) {
        return before(HISTORY, RetentionSettings.firstDayKept(position.now(), limits.history()));
    }

    private List<PostgresOldDays.OldDay> before(String table, LocalDate first) {
        return transactions.run("to list the days of " + table, session -> days.before(session, table, first));
    }

    private static boolean raise(AdminSession session, LocalDate day) throws SQLException {
        MessageKey key =
                MessageKey.firstOf(day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
        try (Call call = session.call(PostgresRetentionStatement.RAISE_HORIZON)) {
            return call.key("oldest", key).change() == 1;
        }
    }

    /** A table and its size. */
    private record Pages(String table, long count) {}

    private Retired purgeDigests(RetentionLook look) {
        List<Pages> tables = transactions.run("to list the tables of keys", session -> {
            try (Call call = session.call(PartitionStatement.DIGEST_TABLES)) {
                return call.all(row -> new Pages(row.getString(1), row.getLong(2)));
            }
        });
        for (Pages pages : tables) {
            Retired piece =
                    steps.attempt("to forget keys of " + pages.table(), Retired.NOTHING, () -> purgePages(pages, look));
            if (piece.more()) {
                return piece;
            }
        }
        return Retired.NOTHING;
    }

    private Retired purgePages(Pages pages, RetentionLook look) {
        Duration window = look.limits().window();
        return done(new PostgresUpkeep(pages.table(), look, window)
                .next(transactions, (session, place) -> purgePages(session, pages, place, window)));
    }

    private static Retired done(PostgresUpkeep.@Nullable Piece piece) {
        return piece == null ? Retired.NOTHING : new Retired(0, piece.deleted(), true);
    }

    /**
     * Rows are appended, so that neighbours are of one age and a page is read and written once; the room that they leave is
     * used again, which mixes the ages. So a pass goes over all pages.
     */
    private PostgresUpkeep.Piece purgePages(AdminSession session, Pages pages, String place, Duration window)
            throws SQLException {
        long from = place.isEmpty() ? 0 : Long.parseLong(place);
        long to = from + Math.max(1, settings.batch() / ROWS_OF_PAGE);
        Sql.Text text = session.statements()
                .get(PostgresRetentionStatement.PURGE_DIGESTS)
                .text(1);
        try (Call call = session.call(text.as(text.sql().formatted(pages.table())))) {
            int deleted = call.text("from", "(" + from + ",0)")
                    .text("to", "(" + to + ",0)")
                    .number("retention", window.toMillis())
                    .change();
            return new PostgresUpkeep.Piece(to < pages.count() ? String.valueOf(to) : "", deleted);
        }
    }

    private Retired purge(String table, PostgresRetentionStatement statement, RetentionLook look, Duration retention) {
        return done(new PostgresUpkeep(table, look, retention)
                .next(transactions, (session, place) -> purge(session, statement, place, retention)));
    }

    private PostgresUpkeep.Piece purge(
            AdminSession session, PostgresRetentionStatement statement, String place, Duration retention)
            throws SQLException {
        try (Call call = session.call(statement)) {
            return call.number("place", place.isEmpty() ? 0 : Long.parseLong(place))
                    .number("retention", retention.toMillis())
                    .number("limit", settings.batch())
                    .read(row -> {
                        row.next();
                        boolean over = row.getLong(2) < settings.batch();
                        return new PostgresUpkeep.Piece(over ? "" : String.valueOf(row.getLong(1)), row.getLong(3));
                    });
        }
    }
}
