package io.pigeonhole.jdbc.replay;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.HistoryEntry;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPage;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.SkippedMessage;
import io.pigeonhole.jdbc.sql.AdminRows;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.MessageColumns;
import io.pigeonhole.jdbc.sql.ReplayCalls;
import io.pigeonhole.jdbc.sql.ReplayStatement;
import io.pigeonhole.jdbc.sql.StoredNames;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of {@code inbox_replay} and what is read of {@code inbox_history}, on every database. */
public final class ReplayRows {
    private static final int MARK = 27;
    private static final int FIRST_OF_MESSAGE = 6;
    private static final int HEADERS = 10;
    private static final int WANTED = 14;

    /** So many bytes of payloads and headers are read at once, at most, or one message. */
    private static final long ROOM = 16L << 20;

    private ReplayRows() {}

    /** A run with what only the store knows of it. */
    record Run(ReplayProgress progress, long mark) {}

    static List<Run> find(ReplayCalls calls, String name) throws SQLException {
        try (Call call = calls.replay(ReplayStatement.FIND)) {
            return call.text("name", name).all(row -> run(calls, row));
        }
    }

    static List<Run> all(ReplayCalls calls) throws SQLException {
        try (Call call = calls.replay(ReplayStatement.ALL)) {
            return call.all(row -> run(calls, row));
        }
    }

    private static Run run(ReplayCalls calls, ResultSet row) throws SQLException {
        return new Run(progress(calls.rows(), row), row.getLong(MARK));
    }

    private static ReplayProgress progress(AdminRows rows, ResultSet row) throws SQLException {
        RegisteredConsumer consumer = AdminRows.consumer(row);
        byte[] key = row.getBytes(13);
        ReplayPlan plan = new ReplayPlan(
                row.getString(8),
                consumer.name(),
                rows.instantOrNull(row, 9),
                rows.instantOrNull(row, 10),
                row.getString(11),
                row.getString(12),
                key == null ? null : OrderingKey.of(key),
                row.getBoolean(14));
        return new ReplayProgress(
                consumer,
                plan,
                StoredNames.read(
                        ReplayState.class, row.getString(15), "the replay '" + plan.name() + "' in inbox_replay"),
                row.getLong(16),
                row.getLong(17),
                number(row, 18),
                number(row, 19),
                row.getLong(20),
                row.getLong(21),
                row.getString(22),
                row.getString(23),
                row.getString(24),
                rows.instant(row, 25),
                rows.instant(row, 26));
    }

    private static @Nullable Long number(ResultSet row, int column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    public static Optional<ReplayProgress> lock(ReplayCalls calls, String name) throws SQLException {
        try (Call call = calls.replay(ReplayStatement.LOCK)) {
            if (call.text("name", name).first(row -> row.getString(1)) == null) {
                return Optional.empty();
            }
        }
        return find(calls, name).stream().map(Run::progress).findFirst();
    }

    /** A row of the history, and whether the run wants it. */
    private record Scanned(HistoryEntry entry, boolean wanted) {}

    /** In two steps: first how many fit, then those. */
    public static ReplayPage read(ReplayCalls calls, ReplayProgress run, int limit) throws SQLException {
        List<Long> sizes;
        try (Call call = calls.replay(ReplayStatement.SIZES)) {
            sizes = bind(call, run).number("limit", limit).all(row -> row.getLong(1));
        }
        int fitting = fitting(sizes);
        if (fitting == 0) {
            return new ReplayPage(List.of(), run.cutoff(), true);
        }
        try (Call call = calls.replay(ReplayStatement.READ)) {
            List<Scanned> rows = bind(call, run)
                    .number("limit", fitting)
                    .all(row -> new Scanned(entry(calls.rows(), row), row.getBoolean(WANTED)));
            requireSome(rows);
            List<HistoryEntry> entries =
                    rows.stream().filter(Scanned::wanted).map(Scanned::entry).toList();
            long scanned = rows.size() < limit && rows.size() == sizes.size()
                    ? run.cutoff()
                    : Math.min(rows.get(rows.size() - 1).entry().place(), run.cutoff());
            return new ReplayPage(entries, scanned, scanned == run.cutoff());
        }
    }

    /** How many there are from the first on that fit into the room together; at least one, where there is one. */
    private static int fitting(List<Long> sizes) {
        long left = ROOM;
        for (int i = 0; i < sizes.size(); i++) {
            left -= sizes.get(i);
            if (left < 0) {
                return Math.max(1, i);
            }
        }
        return sizes.size();
    }

    /** With a payload, without, and the place before the first of both. */
    static List<Long> count(ReplayCalls calls, ReplayProgress run) throws SQLException {
        try (Call call = calls.replay(ReplayStatement.COUNT)) {
            return bind(call, run)
                    .all(row -> List.of(row.getLong(1), row.getLong(2), row.getLong(3)))
                    .get(0);
        }
    }

    private static Call bind(Call call, ReplayProgress run) throws SQLException {
        ReplayPlan plan = run.plan();
        OrderingKey key = plan.orderingKey();
        return call.consumer(run.consumer())
                .number("position", run.position())
                .number("cutoff", run.cutoff())
                .text("type", plan.type())
                .text("source", plan.source())
                .bytes("ordering_key", key == null ? null : key.bytes())
                .between(plan.since(), plan.until());
    }

    public static List<HistoryEntry> read(
            ReplayCalls calls, RegisteredConsumer consumer, Instant since, Instant until, long after, int limit)
            throws SQLException {
        int fitting;
        try (Call call = calls.replay(ReplayStatement.SIZES_OF_DAY)) {
            fitting = fitting(call.consumer(consumer)
                    .number("after", after)
                    .between(since, until)
                    .number("limit", limit)
                    .all(row -> row.getLong(1)));
        }
        if (fitting == 0) {
            return List.of();
        }
        try (Call call = calls.replay(ReplayStatement.DAY)) {
            List<HistoryEntry> entries = call.consumer(consumer)
                    .number("after", after)
                    .between(since, until)
                    .number("limit", fitting)
                    .all(row -> entry(calls.rows(), row));
            requireSome(entries);
            return entries;
        }
    }

    /**
     * There were some when their sizes were asked for. No row says that the day was dropped since then, or that the statement was
     * cancelled, of which MariaDB may say nothing; what follows must not be taken for the end.
     */
    private static void requireSome(List<?> rows) {
        if (rows.isEmpty()) {
            throw new StoreException(
                    ErrorClass.RETRY_NOW,
                    "the history has no message any more where it had some a moment ago, or the statement that read it was"
                            + " cancelled: read it again",
                    null);
        }
    }

    private static HistoryEntry entry(AdminRows rows, ResultSet row) throws SQLException {
        boolean withPayload = row.getBoolean(4);
        return new HistoryEntry(
                row.getLong(1),
                rows.key(row, 2),
                withPayload && row.getObject(HEADERS) != null ? MessageColumns.read(row, FIRST_OF_MESSAGE) : label(row),
                withPayload,
                row.getInt(3),
                rows.instant(row, 5));
    }

    /** A message whose headers and payload were not kept. */
    private static Message label(ResultSet row) throws SQLException {
        byte[] id = row.getBytes(7);
        return Message.builder(row.getString(FIRST_OF_MESSAGE))
                .id(id == null ? null : MessageId.of(id))
                .type(row.getString(8))
                .orderingKey(row.getBytes(9))
                .contentType(row.getString(11))
                .payload((byte[]) null)
                .origin(row.getString(13))
                .build();
    }

    /** Whether the run was where it is said to be. */
    public static boolean move(
            ReplayCalls calls,
            ReplayProgress run,
            long position,
            int done,
            int skipped,
            ReplayState state,
            @Nullable String error)
            throws SQLException {
        try (Call call = calls.replay(ReplayStatement.MOVE)) {
            return call.number("position", position)
                            .number("done", done)
                            .number("skipped", skipped)
                            .text("state", state.name())
                            .text("error", error)
                            .now()
                            .text("name", run.plan().name())
                            .number("before", run.position())
                            .change()
                    == 1;
        }
    }

    public static void skip(ReplayCalls calls, ReplayProgress run, SkippedMessage message) throws SQLException {
        try (Call call = calls.replay(ReplayStatement.SKIP)) {
            call.text("name", run.plan().name())
                    .number("place", message.place())
                    .key(message.key())
                    .text("error", message.error())
                    .change();
        }
    }

    public static List<SkippedMessage> skipped(ReplayCalls calls, String name, long after, int limit)
            throws SQLException {
        try (Call call = calls.replay(ReplayStatement.SKIPPED)) {
            return call.text("name", name)
                    .number("after", after)
                    .number("limit", limit)
                    .all(row -> new SkippedMessage(row.getLong(1), calls.rows().key(row, 2), row.getString(3)));
        }
    }
}
