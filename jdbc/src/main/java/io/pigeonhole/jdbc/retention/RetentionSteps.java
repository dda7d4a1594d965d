package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.LedgerQuery;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what is past its time, a piece at each call: first days of the ledger, then days of the history, then rows; what
 * waits for an archive comes last, and may be asked for apart. One step that fails does not stop the others.
 *
 * <p>The ledger's bounds are raised and committed before a day of the ledger goes: from then on no claim brings a key of that day. A key
 * below the ledger's bounds is late, and no row of it is looked for. Safe for use by many threads and many programs.
 */
public final class RetentionSteps {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionSteps.class);

    private final ShortTransactions transactions;
    private final AdminDatabase database;
    private final RetentionSettings settings;
    private final RetentionRules rules;
    private final OldHistory oldHistory;
    private final OldDays days;
    private final OldRows rows;
    private final RowPurge purge;
    private final OldReplays oldReplays;
    private final FailedSteps steps;

    public RetentionSteps(
            ShortTransactions transactions,
            RetentionSettings settings,
            RetentionRules rules,
            OldHistory oldHistory,
            OldDays days,
            OldRows rows,
            FailedSteps steps) {
        this.transactions = transactions;
        this.database = new AdminDatabase(transactions);
        this.settings = settings;
        this.rules = rules;
        this.oldHistory = oldHistory;
        this.days = days;
        this.rows = rows;
        this.purge = RowPurge.of(settings);
        this.oldReplays = new OldReplays(database, settings.batch());
        this.steps = steps;
    }

    /** Where the store stands: the database's clock, and where the ledger begins and ends. */
    private record Position(Instant now, MessageKey oldest, MessageKey newest) {}

    /** That something may be deleted now. */
    private record Begun(Position position, Duration window) {}

    /** All steps, also those that wait for the archive. */
    public Retired retire() {
        Retired done = retireWithoutArchive();
        return done.more() ? done : retireArchived();
    }

    /** Those that wait for the database only. */
    public Retired retireWithoutArchive() {
        FreshLook fresh = rules.begin();
        Begun begun = begin(fresh);
        return begun == null ? Retired.NOTHING : steps.firstOf(withoutArchive(begun, fresh));
    }

    /** Those that wait for the archive; none where there is none. */
    public Retired retireArchived() {
        if (settings.archive() == null) {
            return Retired.NOTHING;
        }
        FreshLook fresh = rules.begin();
        Begun begun = begin(fresh);
        if (begun == null) {
            return Retired.NOTHING;
        }
        Instant now = begun.position().now();
        return steps.firstOf(List.of(daysOfHistory(now, fresh), history(now, fresh)));
    }

    /** Null where nothing is to be deleted now. */
    private @Nullable Begun begin(FreshLook fresh) {
        RetentionLook look = fresh.now();
        if (look == null) {
            return null;
        }
        Position position = transactions.run("to read the ledger's bounds", RetentionSteps::read);
        look.requireSameClock(position.now());
        return settings.rests(position.now())
                ? null
                : new Begun(position, look.limits().window());
    }

    private List<FailedSteps.Step> withoutArchive(Begun begun, FreshLook fresh) {
        Position position = begun.position();
        Instant now = position.now();
        boolean hasArchive = settings.archive() != null;
        MessageKey oldest =
                steps.attempt("to raise the ledger's bounds", position.oldest(), () -> raise(position, begun.window()));
        List<FailedSteps.Step> all = new ArrayList<>();
        all.add(new FailedSteps.Step("to drop days of the ledger", () -> dropDaysOfLedger(oldest)));
        all.add(new FailedSteps.Step(
                "to give days of the history back", () -> fresh.use(latest -> giveBackDays(now, latest))));
        if (!hasArchive) {
            all.add(daysOfHistory(now, fresh));
        }
        all.add(new FailedSteps.Step("to delete old keys", () -> fresh.use(latest -> rows.purgeKeys(latest, oldest))));
        if (!hasArchive) {
            all.add(history(now, fresh));
        }
        all.add(new FailedSteps.Step(
                "to delete old attempts",
                () -> fresh.use(
                        latest -> purge("inbox_attempt", latest, latest.limits().attempts(), purge::attempts))));
        all.add(new FailedSteps.Step(
                "to delete old audit entries",
                () -> fresh.use(
                        latest -> purge("inbox_audit", latest, latest.limits().audit(), purge::audit))));
        all.add(new FailedSteps.Step("to delete old replays", () -> fresh.use(oldReplays::retire)));
        return all;
    }

    private FailedSteps.Step daysOfHistory(Instant now, FreshLook fresh) {
        return new FailedSteps.Step(
                "to drop days of the history",
                () -> fresh.use(
                        latest -> isLeftToArchives(latest) ? Retired.NOTHING : dropDaysOfHistory(now, latest, fresh)));
    }

    private FailedSteps.Step history(Instant now, FreshLook fresh) {
        return new FailedSteps.Step(
                "to delete old history",
                () -> fresh.use(latest -> isLeftToArchives(latest) ? Retired.NOTHING : rows.purgeHistory(now, fresh)));
    }

    /** Another program has an archive, and this one cannot say whether it has what would be deleted. */
    private boolean isLeftToArchives(RetentionLook look) {
        return settings.archive() == null && look.limits().hasArchive();
    }

    private static Position read(AdminSession session) throws SQLException {
        Instant now = session.now();
        try (Call call = session.call(LedgerQuery.BOUNDS)) {
            Position position = call.first(row ->
                    new Position(now, session.rows().key(row, 1), session.rows().key(row, 2)));
            if (position == null) {
                throw new ConfigurationException(
                        "inbox_ledger_bounds has no row: put back the one that the schema came with");
            }
            return position;
        }
    }

    /**
     * Answers where the ledger begins from now on; committed. Open transactions of callers may hold the row: others that want to
     * claim wait behind this change meanwhile, so it is not tried again where it waited in vain.
     */
    private MessageKey raise(Position position, Duration window) {
        LocalDate kept = RetentionSettings.firstDayKept(position.now(), window);
        MessageKey wanted =
                MessageKey.firstOf(kept.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
        MessageKey oldest = wanted.compareTo(position.newest()) > 0 ? position.newest() : wanted;
        // Where somebody set a shorter window once, the ledger's bounds stays where it is.
        if (position.oldest().compareTo(oldest) >= 0) {
            return position.oldest();
        }
        Optional<Integer> raised = database.change("to raise the ledger's bounds", session -> {
            try (Call call = session.call(RetentionStatement.RAISE_BOUNDS)) {
                int rows = call.key("oldest", oldest).change();
                if (rows == 0 && read(session).oldest().compareTo(oldest) < 0) {
                    throw Call.tooFewChanged(0, 1);
                }
                return rows;
            }
        });
        if (raised.isEmpty()) {
            LOG.info(
                    "the ledger keeps its oldest day for now, because another transaction holds the row of inbox_ledger_bounds, such as"
                            + " one that changes it, or on MariaDB and MySQL one of a caller's that has claimed messages; it"
                            + " tries again later");
            return position.oldest();
        }
        return oldest;
    }

    private Retired dropDaysOfLedger(MessageKey oldest) {
        LocalDate kept = LocalDate.ofInstant(Instant.ofEpochMilli(oldest.epochMillis()), ZoneOffset.UTC);
        return dropOne(OldDays.LEDGER, kept, days::drop);
    }

    /** Those that a node began to drop, and died, where a program wants them for longer since then. */
    private Retired giveBackDays(Instant now, RetentionLook look) {
        LocalDate kept = RetentionSettings.firstDayKept(now, look.limits().history());
        for (OldDay day : days.begunFrom(kept)) {
            steps.attempt("to give " + day.day() + " back", false, () -> days.giveBack(day));
        }
        return Retired.NOTHING;
    }

    private Retired dropDaysOfHistory(Instant now, RetentionLook look, FreshLook fresh) {
        LocalDate kept = RetentionSettings.firstDayKept(now, look.limits().history());
        return dropOne(OldDays.HISTORY, kept, day -> dropOfHistory(day, now, fresh));
    }

    /** Its export may take hours: another program may have said meanwhile that it wants the day. */
    private DayDrop dropOfHistory(OldDay day, Instant now, FreshLook fresh) {
        // Nobody sees the rows of a day that its table lacks already: whether it may go is asked when it is dropped.
        if (!day.isWhole()) {
            return fresh.isPastInHistory(day.day(), now) ? days.drop(day) : DayDrop.LATER;
        }
        // First what costs little: the partition may be read through for days before it.
        if (!oldHistory.mayGo(day.day())) {
            return DayDrop.LATER;
        }
        List<LocalDate> earlier = days.earlierIn(day);
        return earlier.stream().allMatch(oldHistory::mayGo) && fresh.isPastInHistory(day.day(), now)
                ? oldHistory.letGo(day.day(), DayDrop.LATER, hold -> days.drop(day, earlier, hold))
                : DayDrop.LATER;
    }

    /** Drops one of the days of a table before another one, the oldest that can be dropped now. */
    private Retired dropOne(String table, LocalDate first, Function<OldDay, DayDrop> drop) {
        for (OldDay day : days.before(table, first)) {
            DayDrop dropped =
                    steps.attempt("to drop " + day.day() + " of " + day.table(), DayDrop.LATER, () -> drop.apply(day));
            if (dropped != DayDrop.LATER) {
                return dropped == DayDrop.DONE ? new Retired(1, 0, true) : Retired.NOTHING;
            }
        }
        return Retired.NOTHING;
    }

    /** Deletes a piece of the rows of a table from before an instant. */
    @FunctionalInterface
    private interface Purge {
        Upkeep.Piece run(AdminSession session, String place, Instant before) throws SQLException;
    }

    private Retired purge(String table, RetentionLook look, Duration retention, Purge purging) {
        return new Upkeep(table, look, retention)
                .next(
                        transactions,
                        (session, place) ->
                                purging.run(session, place, session.now().minus(retention)));
    }
}
