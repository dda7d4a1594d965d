package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forgets what is past its time, as {@link PostgresRetention} does: the horizon is raised and committed, then days are
 * dropped where the database has them, by a statement that waits a second for open transactions; then rows are deleted in
 * batches, by their keys. Those that somebody else has locked are not waited for, but left to the next pass: until it is over, a
 * batch keeps what it has deleted from whoever delivers the same keys again. Safe for use by many threads and many programs.
 */
final class PlainRetention {
    private static final Logger LOG = LoggerFactory.getLogger(PlainRetention.class);
    private static final String LEDGER = "inbox_ledger";
    private static final String HISTORY = "inbox_history";
    private static final MessageKey SMALLEST = new MessageKey(0, 0);

    /** No key lies between it and the first in digest form. */
    private static final MessageKey BEFORE_DIGESTS = new MessageKey(MessageKey.FIRST_DIGEST.high() - 1, -1);

    /** So many rows a piece looks at, at most: its statements name them. */
    private static final int MOST_KEYS = 1_000;

    private static final String IN_THE_WAY =
            "no day is dropped yet, because long transactions are in the way; it tries again later";

    private static final OldRows AUDIT =
            new OldRows(RetentionStatement.OLD_AUDIT, RetentionStatement.LOCK_AUDIT, RetentionStatement.FORGET_AUDIT);

    private static final OldRows ROWS_OF_HISTORY = new OldRows(
            RetentionStatement.OLD_HISTORY, RetentionStatement.LOCK_HISTORY, RetentionStatement.FORGET_HISTORY);

    private final ShortTransactions transactions;
    private final Dialect dialect;
    private final RetentionSettings settings;
    private final RetentionRules rules;
    private final OldHistory oldHistory;
    private final OldReplays oldReplays;
    private final FailedSteps steps;

    /** Partitions of which it was said that they stay. */
    private final Set<String> leftAlone = ConcurrentHashMap.newKeySet();

    PlainRetention(
            ShortTransactions transactions,
            Dialect dialect,
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
        this.dialect = dialect;
        this.settings = settings;
    }

    /** The statements that look for old rows of a table, lock those that nobody else has, and delete these. */
    private record OldRows(RetentionStatement find, RetentionStatement lock, RetentionStatement forget) {}

    /** Where the store stands: the database's clock, and where the ledger begins and ends. */
    private record Position(Instant now, MessageKey oldest, MessageKey newest) {}

    Retired retire() {
        FreshLook fresh = rules.begin();
        RetentionLook look = fresh.now();
        if (look == null) {
            return Retired.NOTHING;
        }
        RetentionLimits limits = look.limits();
        Position position = transactions.run("to read the horizon", session -> read(PlainSession.of(session)));
        look.requireSameClock(position.now());
        if (settings.rests(position.now())) {
            return Retired.NOTHING;
        }
        MessageKey oldest =
                steps.attempt("to raise the horizon", position.oldest(), () -> raise(position, limits.window()));
        return steps.firstOf(
                new FailedSteps.Step("to forget days of the ledger", () -> dropDaysOfLedger(oldest)),
                new FailedSteps.Step(
                        "to forget days of the history",
                        () -> fresh.use(now -> dropDaysOfHistory(position.now(), now.limits(), fresh))),
                new FailedSteps.Step(
                        "to forget keys",
                        () -> fresh.use(now -> purge(
                                new PlainUpkeep(LEDGER, now, now.limits().window()),
                                (session, place) -> purgeKeys(
                                        session, place, oldest, now.limits().window())))),
                new FailedSteps.Step(
                        "to forget history",
                        () -> dialect.hasDays() ? Retired.NOTHING : purgeHistory(position.now(), fresh)),
                new FailedSteps.Step(
                        "to forget attempts",
                        () -> fresh.use(now -> purge(
                                new PlainUpkeep(
                                        "inbox_attempt", now, now.limits().attempts()),
                                (session, place) -> purgeAttempts(
                                        session,
                                        place,
                                        session.now().minus(now.limits().attempts()))))),
                new FailedSteps.Step(
                        "to forget what people did",
                        () -> fresh.use(
                                now -> purge("inbox_audit", now, now.limits().audit(), AUDIT))),
                new FailedSteps.Step("to forget replays", () -> fresh.use(oldReplays::retire)));
    }

    private static Position read(PlainSession session) throws SQLException {
        try (Call call = session.call(LedgerQuery.HORIZON)) {
            Position position =
                    call.first(row -> new Position(session.now(), PlainColumns.key(row, 1), PlainColumns.key(row, 2)));
            if (position == null) {
                throw new ConfigurationException(
                        "inbox_horizon has no row: put back the one that the schema came with");
            }
            return position;
        }
    }

    /**
     * Answers where the ledger begins from now on; committed. Open transactions of callers may hold the row: others that want to
     * claim wait behind this change meanwhile, so it is tried once and not for long.
     */
    private MessageKey raise(Position position, Duration window) {
        LocalDate kept = RetentionSettings.firstDayKept(position.now(), window);
        MessageKey wanted = MessageKey.of(LedgerDay.firstKey(kept));
        MessageKey oldest = wanted.compareTo(position.newest()) > 0 ? position.newest() : wanted;
        if (position.oldest().compareTo(oldest) >= 0) {
            return position.oldest();
        }
        try {
            transactions.runOnce("to raise the horizon", session -> {
                try (Call call = session.call(RetentionStatement.RAISE_HORIZON)) {
                    return call.bytes("oldest", oldest.toBytes()).change();
                }
            });
            return oldest;
        } catch (StoreException e) {
            if (e.errorClass() != ErrorClass.RETRY_NOW) {
                throw e;
            }
            LOG.info(
                    "the ledger keeps its oldest day for now, because open transactions have claimed messages; it tries"
                            + " again later");
            return position.oldest();
        }
    }

    private Retired dropDaysOfLedger(MessageKey oldest) {
        LocalDate kept = LocalDate.ofInstant(Instant.ofEpochMilli(oldest.epochMillis()), ZoneOffset.UTC);
        return dropOne(LEDGER, kept, day -> drop(LEDGER, day));
    }

    /** Its export may take hours: another program may have said meanwhile that it wants the day. */
    private Retired dropDaysOfHistory(Instant now, RetentionLimits limits, FreshLook fresh) {
        LocalDate kept = RetentionSettings.firstDayKept(now, limits.history());
        return dropOne(HISTORY, kept, day -> {
            // First what costs little: the partition is read through for days before it.
            if (!oldHistory.mayGo(day)) {
                return DayDrop.LATER;
            }
            List<LocalDate> earlier = earlierIn(day);
            return earlier.stream().allMatch(oldHistory::mayGo) && isPast(day, now, fresh.now())
                    ? oldHistory.letGo(day, DayDrop.LATER, hold -> dropWith(earlier, day))
                    : DayDrop.LATER;
        });
    }

    /**
     * A replay may have been made since, or messages recorded, of other days or of these. Whoever is recording has to end first: what
     * he commits while the drop waits for him would go unseen.
     */
    private DayDrop dropWith(List<LocalDate> earlier, LocalDate day) {
        if (!oldHistory.isRecorded()) {
            LOG.info(IN_THE_WAY);
            return DayDrop.NONE_NOW;
        }
        if (!earlier.containsAll(earlierIn(day))) {
            return DayDrop.LATER;
        }
        List<LocalDate> going = new ArrayList<>(earlier);
        going.add(day);
        boolean exported = going.stream().allMatch(oldHistory::isExported);
        return exported && going.stream().noneMatch(oldHistory::isNeeded) ? drop(HISTORY, day) : DayDrop.LATER;
    }

    private List<LocalDate> earlierIn(LocalDate day) {
        return transactions.run(
                "to look for earlier days in the partition of " + day,
                session -> dialect.earlierDays(session.connection(), day));
    }

    /** The oldest that can be dropped now, where the database has days. */
    private Retired dropOne(String table, LocalDate kept, Function<LocalDate, DayDrop> drop) {
        List<LocalDate> old = dialect.hasDays() ? before(table, kept) : List.of();
        for (LocalDate day : old) {
            DayDrop dropped = steps.attempt("to drop " + day + " of " + table, DayDrop.LATER, () -> drop.apply(day));
            if (dropped != DayDrop.LATER) {
                return dropped == DayDrop.DONE ? new Retired(1, 0, true) : Retired.NOTHING;
            }
        }
        return Retired.NOTHING;
    }

    /** Without partitions that have the name of a day, and another end. */
    private List<LocalDate> before(String table, LocalDate kept) {
        List<LocalDate> old = new ArrayList<>();
        try {
            transactions.withAutoCommit(connection -> {
                for (LocalDate day : dialect.days(connection, table)) {
                    if (day.isBefore(kept) && endsWithDay(connection, table, day)) {
                        old.add(day);
                    }
                }
            });
        } catch (SQLException e) {
            throw transactions.refused("to list the days of " + table, e);
        }
        return old;
    }

    private boolean endsWithDay(Connection connection, String table, LocalDate day) throws SQLException {
        boolean ends = dialect.endsWithDay(connection, table, day);
        // Another node may have dropped it since it was listed.
        if (!ends && dialect.days(connection, table).contains(day) && leftAlone.add(table + " " + day)) {
            LOG.warn(
                    "the partition of {} that is named after {} is past its time, but stays: it does not end with that day, so it"
                            + " may hold what is younger. Divide it into days with REORGANIZE PARTITION, or drop it yourself when"
                            + " all that it holds may go",
                    table,
                    day);
        }
        return ends;
    }

    /** Unless another program has dropped it meanwhile. */
    private DayDrop drop(String table, LocalDate day) {
        DayDrop[] dropped = {DayDrop.LATER};
        try {
            transactions.withAutoCommit(SchemaLock.holding(dialect, connection -> {
                if (dialect.days(connection, table).contains(day) && dialect.endsWithDay(connection, table, day)) {
                    dialect.dropDay(connection, table, day);
                    dropped[0] = DayDrop.DONE;
                }
            }));
        } catch (SQLException e) {
            if (!dialect.isLockTimeout(e)) {
                throw transactions.refused("to drop a day", e);
            }
            LOG.info(IN_THE_WAY);
            return DayDrop.NONE_NOW;
        }
        return dropped[0];
    }

    /** Day by day as well, so that a day which is needed stays as a whole, and what is younger. */
    private Retired purgeHistory(Instant now, FreshLook fresh) {
        LocalDate oldest = transactions.run(
                "to find the oldest message of the history", session -> oldestOfHistory(PlainSession.of(session)));
        if (!isPast(oldest, now, fresh.now()) || !oldHistory.mayGoInPieces(oldest)) {
            return Retired.NOTHING;
        }
        // Another program may have said meanwhile that it wants the day.
        return fresh.use(look -> isPast(oldest, now, look) ? purgeDay(oldest, look) : Retired.NOTHING);
    }

    private Retired purgeDay(LocalDate day, RetentionLook look) {
        PlainUpkeep upkeep = new PlainUpkeep(HISTORY, look, look.limits().history());
        return oldHistory.letGo(
                day,
                Retired.NOTHING,
                hold -> purge(upkeep, (session, place) -> purgeDayOfHistory(session, place, day)));
    }

    private static boolean isPast(LocalDate day, Instant now, @Nullable RetentionLook look) {
        return look != null
                && day.isBefore(
                        RetentionSettings.firstDayKept(now, look.limits().history()));
    }

    private static LocalDate oldestOfHistory(PlainSession session) throws SQLException {
        try (Call call = session.call(RetentionStatement.OLDEST_HISTORY)) {
            LocalDate oldest = call.first(row -> LocalDate.ofInstant(PlainColumns.instant(row, 1), ZoneOffset.UTC));
            return oldest == null ? LocalDate.MAX : oldest;
        }
    }

    /**
     * By its end and not by an age: time goes on until the piece begins, and the next day is not to go with this one. That day is
     * a pass of its own, which waits for its time only where something of this one stays.
     */
    private PlainUpkeep.Piece purgeDayOfHistory(PlainSession session, String place, LocalDate day) throws SQLException {
        PlainUpkeep.Piece piece = purgeRows(
                session, place, day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant(), ROWS_OF_HISTORY);
        // The place is that of this day: the next one may have smaller numbers.
        return oldestOfHistory(session).isAfter(day) ? new PlainUpkeep.Piece("", piece.deleted(), false) : piece;
    }

    private Retired purge(PlainUpkeep upkeep, PlainUpkeep.Step step) {
        PlainUpkeep.Piece piece = upkeep.next(transactions, step);
        return piece == null ? Retired.NOTHING : new Retired(0, piece.deleted(), true);
    }

    /**
     * The next keys of a consumer: in digest form, and where there are no days to drop, below the horizon. The place is
     * {@code consumer:key}, the last that was looked at.
     */
    private PlainUpkeep.Piece purgeKeys(PlainSession session, String place, MessageKey oldest, Duration window)
            throws SQLException {
        int colon = place.indexOf(':');
        int consumer = colon < 0 ? nextConsumer(session, 0) : Integer.parseInt(place.substring(0, colon));
        if (consumer == 0) {
            return new PlainUpkeep.Piece("", 0);
        }
        MessageKey first = dialect.hasDays() ? BEFORE_DIGESTS : SMALLEST;
        MessageKey after = colon < 0 ? first : MessageKey.of(HexFormat.of().parseHex(place.substring(colon + 1)));
        Instant kept = session.now().minus(window);
        int limit = limit();
        List<LedgerKey> keys;
        try (Call call = session.call(RetentionStatement.NEXT_KEYS)) {
            keys = call.number("consumer", consumer)
                    .key(after)
                    .number("limit", limit)
                    .all(row -> new LedgerKey(PlainColumns.key(row, 1), PlainColumns.instant(row, 2)));
        }
        List<MessageKey> old = keys.stream()
                .filter(key -> key.isOld(oldest, kept))
                .map(LedgerKey::key)
                .toList();
        long deleted = OldKeys.forget(session, consumer, old);
        if (keys.size() == limit) {
            MessageKey last = keys.get(limit - 1).key();
            boolean past = last.isTimeForm() && last.compareTo(oldest) >= 0;
            return new PlainUpkeep.Piece(place(consumer, past ? BEFORE_DIGESTS : last), deleted);
        }
        int next = nextConsumer(session, consumer);
        return new PlainUpkeep.Piece(next == 0 ? "" : place(next, first), deleted);
    }

    /** A key of the ledger, and when it was accepted. */
    private record LedgerKey(MessageKey key, Instant acceptedAt) {
        boolean isOld(MessageKey oldest, Instant kept) {
            return key.isTimeForm() ? key.compareTo(oldest) < 0 : acceptedAt.isBefore(kept);
        }
    }

    private static String place(int consumer, MessageKey key) {
        return consumer + ":" + HexFormat.of().formatHex(key.toBytes());
    }

    /** Zero where there is none. */
    private static int nextConsumer(PlainSession session, int above) throws SQLException {
        try (Call call = session.call(RetentionStatement.NEXT_CONSUMER)) {
            Integer next = call.number("above", above).first(row -> row.getInt(1));
            return next == null ? 0 : next;
        }
    }

    private Retired purge(String table, RetentionLook look, Duration retention, OldRows statements) {
        return purge(
                new PlainUpkeep(table, look, retention),
                (session, place) -> purgeRows(session, place, session.now().minus(retention), statements));
    }

    private PlainUpkeep.Piece purgeRows(PlainSession session, String place, Instant kept, OldRows statements)
            throws SQLException {
        List<Long> ids = rows(session, place, kept, statements.find(), rows -> rows.getLong(1));
        List<Long> locked = session.lock(statements.lock(), ids);
        return new PlainUpkeep.Piece(behind(ids), session.deleteLocked(statements.forget(), locked));
    }

    /** An attempt, and whose it is. */
    private record Attempt(long id, int consumer, MessageKey key) {}

    /** Not those of messages that are unfinished or dead: of a message that is neither there will be no more. */
    private PlainUpkeep.Piece purgeAttempts(PlainSession session, String place, Instant kept) throws SQLException {
        List<Attempt> old = rows(
                session,
                place,
                kept,
                RetentionStatement.OLD_ATTEMPTS,
                rows -> new Attempt(rows.getLong(1), rows.getInt(2), PlainColumns.key(rows, 3)));
        Map<Integer, List<Attempt>> byConsumer = old.stream().collect(Collectors.groupingBy(Attempt::consumer));
        List<Long> going = new ArrayList<>();
        for (Map.Entry<Integer, List<Attempt>> entry : byConsumer.entrySet()) {
            List<MessageKey> keys =
                    entry.getValue().stream().map(Attempt::key).distinct().toList();
            Set<MessageKey> unfinished = OldKeys.unfinished(session, entry.getKey(), keys);
            entry.getValue().stream()
                    .filter(attempt -> !unfinished.contains(attempt.key()))
                    .forEach(attempt -> going.add(attempt.id()));
        }
        String next = behind(old.stream().map(Attempt::id).toList());
        List<Long> locked = session.lock(RetentionStatement.LOCK_ATTEMPTS, going);
        return new PlainUpkeep.Piece(next, session.deleteLocked(RetentionStatement.FORGET_ATTEMPT, locked));
    }

    /** Where the next piece begins; empty where there is none. */
    private String behind(List<Long> ids) {
        return ids.size() < limit() ? "" : String.valueOf(ids.get(ids.size() - 1));
    }

    private int limit() {
        return Math.min(settings.batch(), MOST_KEYS);
    }

    private <T> List<T> rows(
            PlainSession session, String place, Instant kept, RetentionStatement old, RowReader<T> reader)
            throws SQLException {
        try (Call call = session.call(old)) {
            return call.number("above", place.isEmpty() ? 0 : Long.parseLong(place))
                    .instant("before", kept)
                    .number("limit", limit())
                    .all(reader);
        }
    }
}
