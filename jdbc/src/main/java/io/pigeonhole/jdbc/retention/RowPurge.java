package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.RowReader;
import io.pigeonhole.jdbc.sql.StatementName;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Deletes rows that are past their time, by their ids. Those that somebody else has locked are not waited for, but left to the next
 * pass.
 *
 * @param limit how many rows a piece looks at, at most
 */
public record RowPurge(int limit) {
    /** The statements of a piece name its rows. */
    private static final int MOST_ROWS = 1_000;

    private static final Texts AUDIT =
            new Texts(RetentionStatement.OLD_AUDIT, RetentionStatement.LOCK_AUDIT, RetentionStatement.FORGET_AUDIT);

    private static final Texts HISTORY =
            new Texts(OldRowStatement.OLD_HISTORY, OldRowStatement.LOCK_HISTORY, OldRowStatement.FORGET_HISTORY);

    public static RowPurge of(RetentionSettings settings) {
        return new RowPurge(Math.min(settings.batch(), MOST_ROWS));
    }

    /** The statements that look for old rows of a table, lock those that nobody else has, and delete these. */
    private record Texts(StatementName find, StatementName lock, StatementName forget) {}

    Upkeep.Piece audit(AdminSession session, String place, Instant before) throws SQLException {
        return purge(session, place, before, AUDIT);
    }

    /** Only where the history has no days to be dropped. */
    public Upkeep.Piece history(AdminSession session, String place, Instant before) throws SQLException {
        return purge(session, place, before, HISTORY);
    }

    private Upkeep.Piece purge(AdminSession session, String place, Instant before, Texts statements)
            throws SQLException {
        List<Long> ids = old(session, place, before, statements.find(), row -> row.getLong(1));
        List<Long> locked = session.lock(statements.lock(), ids);
        return new Upkeep.Piece(behind(ids), session.operations().deleteLocked(statements.forget(), locked));
    }

    /** An attempt, and whose it is. */
    private record Attempt(long id, int consumer, MessageKey key) {}

    /** Not those of messages that are unfinished or dead: of a message that is neither there will be no more. */
    Upkeep.Piece attempts(AdminSession session, String place, Instant before) throws SQLException {
        List<Attempt> old = old(
                session,
                place,
                before,
                RetentionStatement.OLD_ATTEMPTS,
                row -> new Attempt(row.getLong(1), row.getInt(2), session.rows().key(row, 3)));
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
        return new Upkeep.Piece(next, session.operations().deleteLocked(RetentionStatement.FORGET_ATTEMPT, locked));
    }

    /** Where the next piece begins; empty where there is none. */
    private String behind(List<Long> ids) {
        return ids.size() < limit ? "" : String.valueOf(ids.get(ids.size() - 1));
    }

    private <T> List<T> old(AdminSession session, String place, Instant before, StatementName find, RowReader<T> reader)
            throws SQLException {
        try (Call call = session.call(find)) {
            return call.number("above", place.isEmpty() ? 0 : Long.parseLong(place))
                    .instant("before", before)
                    .number("limit", limit)
                    .all(reader);
        }
    }
}
