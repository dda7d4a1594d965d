package io.pigeonhole.jdbc.replay;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answers;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.store.HistoryDays;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplayStore;
import io.pigeonhole.core.store.SkippedMessage;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.jdbc.admin.AdminDatabase;
import io.pigeonhole.jdbc.admin.AdminReads;
import io.pigeonhole.jdbc.admin.AuditedChange;
import io.pigeonhole.jdbc.sql.AdminRows;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs over the history, and its days, on every database. Safe for use by many threads. */
public final class JdbcReplays implements ReplayStore, HistoryDays {
    private static final Logger log = LoggerFactory.getLogger(JdbcReplays.class);
    private static final int MOST_TRIES = 5;

    /** How long a node may take to let a day go. */
    private static final Duration LEASE = Duration.ofMinutes(2);

    private final AdminDatabase database;
    private final HistoryBarrier barrier;

    public JdbcReplays(AdminDatabase database, HistoryBarrier barrier) {
        this.database = database;
        this.barrier = barrier;
    }

    /** The mark is taken behind the cutoff, so that whoever recorded something before the cutoff is older than the mark. */
    @Override
    public ReplayProgress create(ReplayPlan plan, String who, String reason) {
        Optional<ReplayProgress> found = find(plan.name());
        if (found.isPresent()) {
            return found.get();
        }
        RegisteredConsumer consumer =
                database.look("a consumer", session -> AdminReads.consumer(session, plan.consumer()));
        long cutoff = database.look("the history", session -> {
            try (Call call = session.replay(ReplayStatement.NEWEST)) {
                return call.consumer(consumer).all(row -> row.getLong(1)).get(0);
            }
        });
        long mark = barrier.mark();
        try {
            change("to make the replay " + plan.name(), session -> {
                requireThatNoDayGoes(session);
                audit(session, consumer, new Author(who, reason), Answers.ofReplay(plan.name(), "made"));
                try (Call call = session.replay(ReplayStatement.CREATE)) {
                    return bind(call, plan, consumer)
                            .number("cutoff", cutoff)
                            .number("mark", mark)
                            .text("who", who)
                            .text("reason", reason)
                            .now()
                            .change();
                }
            });
        } catch (PigeonholeException e) {
            // Somebody else may have made it meanwhile.
            return find(plan.name()).orElseThrow(() -> e);
        }
        return require(plan.name()).progress();
    }

    private static void requireThatNoDayGoes(AdminSession session) throws SQLException {
        if (!hold(session) && !(addRow(session) && hold(session))) {
            throw new RetryableException(
                    "a day of the history is going at this moment, which takes a few seconds, or " + LEASE.toSeconds()
                            + " where its node has died; no replay was made, try again",
                    null);
        }
    }

    private static boolean hold(AdminSession session) throws SQLException {
        try (Call call = session.replay(ReplayStatement.HOLD_HISTORY)) {
            return call.now().first(row -> row.getInt(1)) != null;
        }
    }

    private static boolean take(AdminSession session, String hold) throws SQLException {
        try (Call call = session.replay(ReplayStatement.TAKE_HISTORY)) {
            return call.instant("until", session.now().plus(LEASE))
                            .text("hold", hold)
                            .now()
                            .change()
                    == 1;
        }
    }

    /** Somebody may have emptied the table, whose other rows come back by themselves, too. */
    private static boolean addRow(AdminSession session) throws SQLException {
        try (Call call = session.replay(ReplayStatement.ADD_HISTORY)) {
            return call.change() == 1;
        }
    }

    /**
     * Takes a step, such as dropping the day, while no replay can be made, unless one needs the day; answers
     * {@code otherwise} then, and where another node is at it. The step gets the name of the hold, which ends before the step
     * where this node is stopped.
     */
    public <T> T unlessNeeded(LocalDate day, T otherwise, Function<String, T> step) {
        String hold = UUID.randomUUID().toString();
        boolean taken = change(
                "to let a day of the history go",
                session -> take(session, hold) || (addRow(session) && take(session, hold)));
        if (!taken) {
            return otherwise;
        }
        try {
            return isNeeded(day) ? otherwise : step.apply(hold);
        } finally {
            release(hold);
        }
    }

    private void release(String hold) {
        try {
            change("to allow replays again", session -> {
                try (Call call = session.replay(ReplayStatement.RELEASE_HISTORY)) {
                    return call.now().text("hold", hold).change();
                }
            });
        } catch (PigeonholeException e) {
            log.warn("no replay can be made and no day of the history goes for {}", DurationText.of(LEASE), e);
        }
    }

    private static Call bind(Call call, ReplayPlan plan, RegisteredConsumer consumer) throws SQLException {
        var key = plan.orderingKey();
        return call.text("name", plan.name())
                .consumer(consumer)
                .instant("since", plan.since())
                .instant("until", plan.until())
                .text("type", plan.type())
                .text("source", plan.source())
                .bytes("ordering_key", key == null ? null : key.bytes())
                .flag("recovery", plan.recovery());
    }

    @Override
    public ReplayProgress settle(String name) {
        ReplayRows.Run run = require(name);
        if (run.progress().state() != ReplayState.WAITING || !barrier.isPast(run.mark())) {
            return run.progress();
        }
        List<Long> left = database.look("the history", session -> ReplayRows.count(session, run.progress()));
        long total = run.progress().done() + run.progress().skipped() + left.get(0);
        change("to let the replay " + name + " go on", session -> {
            try (Call call = session.replay(ReplayStatement.SETTLE)) {
                return call.number("total", total)
                        .number("without_payload", left.get(1))
                        .number("position", left.get(2))
                        .now()
                        .text("name", name)
                        .change();
            }
        });
        return require(name).progress();
    }

    @Override
    public Optional<ReplayProgress> find(String name) {
        return runs(name).stream().map(ReplayRows.Run::progress).findFirst();
    }

    @Override
    public List<ReplayProgress> list() {
        return database.look("the replays", ReplayRows::all).stream()
                .map(ReplayRows.Run::progress)
                .toList();
    }

    private List<ReplayRows.Run> runs(String name) {
        return database.look("the replay " + name, session -> ReplayRows.find(session, name));
    }

    private ReplayRows.Run require(String name) {
        return runs(name).stream()
                .findFirst()
                .orElseThrow(() -> new PigeonholeException("there is no replay '" + name + "'", null));
    }

    @Override
    public boolean change(String name, ReplayState from, ReplayState to, String who, String reason) {
        return change("to change the replay " + name, session -> {
            try (Call call = session.replay(ReplayStatement.CHANGE)) {
                boolean changed = call.text("state", to.name())
                                .text("who", who)
                                .text("reason", reason)
                                .now()
                                .text("name", name)
                                .text("before", from.name())
                                .change()
                        > 0;
                if (!changed) {
                    return false;
                }
            }
            RegisteredConsumer consumer =
                    ReplayRows.find(session, name).get(0).progress().consumer();
            audit(session, consumer, new Author(who, reason), Answers.ofReplay(name, from + ", now " + to));
            return true;
        });
    }

    private static void audit(AdminSession session, RegisteredConsumer consumer, Author by, String detail)
            throws SQLException {
        new AuditedChange(session, consumer, by).audit(AdminAction.REPLAY, null, detail, 1);
    }

    @Override
    public List<SkippedMessage> skipped(String name, long after, int limit) {
        return database.look(
                "what the replay " + name + " passed", session -> ReplayRows.skipped(session, name, after, limit));
    }

    @Override
    public String storeId() {
        String id = database.look("which store it is", session -> {
                    try (Call call = session.replay(ReplayStatement.STORE_ID)) {
                        return Optional.ofNullable(call.first(row -> row.getString(1)));
                    }
                })
                .orElse("");
        if (id.isBlank()) {
            throw new ConfigurationException(
                    "inbox_store has no row: put back the one that it had. Archives of this store"
                            + " know it by that id");
        }
        return id;
    }

    @Override
    public Duration untilRecorded(LocalDate day) {
        Instant now = database.look("the clock", AdminSession::now);
        LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        if (!day.isBefore(today)) {
            throw new IllegalArgumentException(
                    day + " is not over; it is " + today + " in UTC by the clock of the database");
        }
        Duration left = Duration.between(now, start(day.plusDays(1)).plus(barrier.delay()));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** The moment is noted in a row, so that processes which end meanwhile ask about the same one. */
    @Override
    public boolean isSettled(LocalDate day) {
        if (!untilRecorded(day).isZero()) {
            return false;
        }
        return barrier.isPast(markOf(day).orElseGet(() -> note(day, barrier.mark())));
    }

    /** Whether all transactions have ended that were open now and may have recorded messages. */
    public boolean haveWritersEnded() {
        return barrier.isPast(barrier.mark());
    }

    /** Not one that was noted while the clock was ahead: the day may not have been over. */
    private Optional<Long> markOf(LocalDate day) {
        return database.look("since when " + day + " is waited for", session -> {
            try (Call call = session.replay(ReplayStatement.EXPORT_MARK)) {
                return Optional.ofNullable(call.day(day).now().first(row -> row.getLong(1)));
            }
        });
    }

    private long note(LocalDate day, long mark) {
        try {
            change("to note since when " + day + " is waited for", session -> {
                try (Call call = session.replay(ReplayStatement.DROP_EXPORT_MARK)) {
                    call.day(day).change();
                }
                try (Call call = session.replay(ReplayStatement.ADD_EXPORT_MARK)) {
                    return call.day(day).number("mark", mark).now().change();
                }
            });
            return mark;
        } catch (PigeonholeException e) {
            // Another process may have noted one meanwhile.
            return markOf(day).orElseThrow(() -> e);
        }
    }

    @Override
    public LocalDate today() {
        return LocalDate.ofInstant(database.look("the clock", AdminSession::now), ZoneOffset.UTC);
    }

    @Override
    public List<RegisteredConsumer> consumers() {
        return database.look("the consumers", session -> {
            try (Call call = session.replay(ReplayStatement.CONSUMERS)) {
                return call.all(AdminRows::consumer);
            }
        });
    }

    @Override
    public List<HistoryEntry> read(RegisteredConsumer consumer, LocalDate day, long after, int limit) {
        return database.look(
                "the history of " + day,
                session -> ReplayRows.read(session, consumer, start(day), start(day.plusDays(1)), after, limit));
    }

    @Override
    public long count(LocalDate day) {
        return database.look("the history of " + day, session -> {
            try (Call call = session.replay(ReplayStatement.COUNT_OF_DAY)) {
                return call.between(start(day), start(day.plusDays(1)))
                        .all(row -> row.getLong(1))
                        .get(0);
            }
        });
    }

    @Override
    public List<Integer> deletedConsumers(LocalDate day) {
        return database.look("the history of " + day, session -> {
            try (Call call = session.replay(ReplayStatement.DELETED_CONSUMERS)) {
                return call.between(start(day), start(day.plusDays(1))).all(row -> row.getInt(1));
            }
        });
    }

    @Override
    public void exported(LocalDate day, long entries) {
        OptionalLong noted = exportedEntries(day);
        if (noted.isPresent() && noted.getAsLong() == entries) {
            return;
        }
        change("to note that " + day + " is exported", session -> {
            for (ReplayStatement earlier : List.of(ReplayStatement.DROP_EXPORT_MARK, ReplayStatement.DROP_EXPORTED)) {
                try (Call call = session.replay(earlier)) {
                    call.day(day).change();
                }
            }
            try (Call call = session.replay(ReplayStatement.EXPORTED)) {
                return call.day(day).number("entries", entries).now().change();
            }
        });
    }

    @Override
    public OptionalLong exportedEntries(LocalDate day) {
        Long entries = database.look("the exports", session -> {
                    try (Call call = session.replay(ReplayStatement.IS_EXPORTED)) {
                        return Optional.ofNullable(call.day(day).first(row -> row.getLong(1)));
                    }
                })
                .orElse(null);
        return entries == null ? OptionalLong.empty() : OptionalLong.of(entries);
    }

    @Override
    public Optional<LocalDate> lastExported() {
        return database.look("the exports", session -> {
            try (Call call = session.replay(ReplayStatement.LAST_EXPORTED)) {
                return Optional.ofNullable(call.first(row -> row.getObject(1, LocalDate.class)));
            }
        });
    }

    @Override
    public boolean isNeeded(LocalDate day) {
        return database.look("the replays", session -> {
            try (Call call = session.replay(ReplayStatement.IS_NEEDED)) {
                return call.between(start(day), start(day.plusDays(1))).first(row -> row.getInt(1)) != null;
            }
        });
    }

    private static Instant start(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /** A batch of a run holds its row; it is waited for, but not for ever. */
    private <T> T change(String doing, ShortTransactions.Work<T> work) {
        for (int i = 0; i < MOST_TRIES; i++) {
            Optional<T> changed = database.change(doing, work);
            if (changed.isPresent()) {
                return changed.get();
            }
        }
        throw new PigeonholeException(
                doing
                        + " another transaction, such as a batch of the run, would have had to end, and did not; nothing was"
                        + " changed, try again",
                null);
    }
}
