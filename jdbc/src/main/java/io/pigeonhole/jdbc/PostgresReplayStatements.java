package io.pigeonhole.jdbc;

/** Every statement of PostgreSQL about runs over the history, and its days. */
final class PostgresReplayStatements {
    /** Parameters: consumer. */
    static final String NEWEST = "SELECT coalesce(max(id), 0) FROM inbox_history WHERE consumer_id = ?";

    /** Parameters: name, the plan, cutoff, mark, who, why. */
    static final String CREATE = """
            INSERT INTO inbox_replay (name, consumer_id, since_at, until_at, type, source, ordering_key, recovery, state,
                cutoff, mark, position, done, skipped, who, why, created_at, updated_at)
            VALUES (?, ?, CAST(? AS timestamptz), CAST(? AS timestamptz), ?, ?, ?, ?, 'WAITING', ?, ?, 0, 0, 0, ?, ?,
                clock_timestamp(), clock_timestamp())""";

    /** One of a name, or all. Parameters: name. */
    static final String FIND = """
            SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication,
                r.name, r.since_at, r.until_at, r.type, r.source, r.ordering_key, r.recovery, r.state, r.cutoff, r.position,
                r.total, r.without_payload, r.done, r.skipped, r.error, r.who, r.why, r.created_at, r.updated_at, r.mark
            FROM inbox_replay AS r
            JOIN inbox_consumer AS c ON c.id = r.consumer_id
            WHERE r.name = coalesce(?, r.name)
            ORDER BY r.created_at, r.name""";

    /** Parameters: name. */
    static final String LOCK = "SELECT name FROM inbox_replay WHERE name = ? FOR UPDATE SKIP LOCKED";

    /**
     * As many rows of the history as are asked for, and whether each is wanted. Filters that took part in the search would make
     * the planner expect so few rows that it sorted all that is left, for each batch anew. Parameters: consumer, position,
     * cutoff, type, source, ordering key, since, until, limit.
     */
    private static final String SCANNED = """
            FROM (
                SELECT CAST(? AS smallint) AS consumer_id, CAST(? AS bigint) AS position, CAST(? AS bigint) AS cutoff,
                    CAST(? AS text) AS type, CAST(? AS text) AS source, CAST(? AS bytea) AS ordering_key,
                    CAST(? AS timestamptz) AS since, CAST(? AS timestamptz) AS until
            ) AS p
            CROSS JOIN LATERAL (
                SELECT i.*, coalesce(i.id <= p.cutoff AND i.with_payload
                    AND (p.type IS NULL OR i.type = p.type)
                    AND (p.source IS NULL OR i.source = p.source)
                    AND (p.ordering_key IS NULL OR i.ordering_key = p.ordering_key)
                    AND i.processed_at >= p.since AND i.processed_at < p.until, false) AS wanted
                FROM inbox_history AS i
                WHERE i.consumer_id = p.consumer_id AND i.id > p.position
                ORDER BY i.id
                LIMIT ?
            ) AS h
            ORDER BY h.id""";

    /** How many bytes each row of {@link #READ} has. Parameters: those of {@link #SCANNED}. */
    static final String SIZES = """
            SELECT CASE WHEN h.wanted THEN octet_length(h.headers) + coalesce(octet_length(h.payload), 0) ELSE 0 END
            """ + SCANNED;

    /** With headers and payload where they are wanted. Parameters: those of {@link #SCANNED}. */
    static final String READ = """
            SELECT h.id, h.message_key, h.attempts, h.with_payload, h.processed_at,
                h.source, h.message_id, h.type, h.ordering_key, CASE WHEN h.wanted THEN h.headers END, h.content_type,
                CASE WHEN h.wanted THEN h.payload END, h.origin,
                h.wanted
            """ + SCANNED;

    /** With a payload, without, and the place before the first. Parameters: those of {@link #SCANNED} but the limit. */
    static final String COUNT = """
            SELECT count(*) FILTER (WHERE h.with_payload), count(*) FILTER (WHERE NOT h.with_payload),
                coalesce(min(h.id) - 1, 0)
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ? AND h.id <= ?
                AND h.type IS NOT DISTINCT FROM coalesce(CAST(? AS text), h.type)
                AND h.source = coalesce(CAST(? AS text), h.source)
                AND h.ordering_key IS NOT DISTINCT FROM coalesce(CAST(? AS bytea), h.ordering_key)
                AND h.processed_at >= CAST(? AS timestamptz) AND h.processed_at < CAST(? AS timestamptz)""";

    /** The first count stays. Parameters: total, without payload, place before the first, name. */
    static final String SETTLE = """
            UPDATE inbox_replay
            SET state = 'RUNNING', total = coalesce(total, ?), without_payload = coalesce(without_payload, ?),
                position = greatest(position, ?), updated_at = clock_timestamp()
            WHERE name = ? AND state = 'WAITING'""";

    /** Parameters: new position, done, skipped, state, error; name, old position. */
    static final String MOVE = """
            UPDATE inbox_replay
            SET position = ?, done = done + ?, skipped = skipped + ?, state = ?, error = ?, updated_at = clock_timestamp()
            WHERE name = ? AND position = ? AND state = 'RUNNING'""";

    /** Parameters: state, who, why; name, old state. */
    static final String CHANGE = """
            UPDATE inbox_replay
            SET state = ?, error = NULL, who = ?, why = ?, updated_at = clock_timestamp()
            WHERE name = ? AND state = ?""";

    /** Parameters: name, place, key, error. */
    static final String SKIP =
            "INSERT INTO inbox_replay_skipped (replay, place, message_key, error) VALUES (?, ?, ?, ?)";

    /** Parameters: name, place, limit. */
    static final String SKIPPED = """
            SELECT s.place, s.message_key, s.error
            FROM inbox_replay_skipped AS s
            WHERE s.replay = ? AND s.place > ?
            ORDER BY s.place
            LIMIT ?""";

    /** All, in the order of their registration. */
    static final String CONSUMERS =
            "SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication FROM inbox_consumer AS c ORDER BY c.id";

    /** How many bytes each row of {@link #DAY} has. Parameters: those of that. */
    static final String SIZES_OF_DAY = """
            SELECT coalesce(octet_length(h.headers), 0) + coalesce(octet_length(h.payload), 0)
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ?
                AND h.processed_at >= CAST(? AS timestamptz) AND h.processed_at < CAST(? AS timestamptz)
            ORDER BY h.id
            LIMIT ?""";

    /** A consumer's history of a time. Parameters: consumer, place, since, until, limit. */
    static final String DAY = """
            SELECT h.id, h.message_key, h.attempts, h.with_payload, h.processed_at,
                h.source, h.message_id, h.type, h.ordering_key, h.headers, h.content_type, h.payload, h.origin
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ?
                AND h.processed_at >= CAST(? AS timestamptz) AND h.processed_at < CAST(? AS timestamptz)
            ORDER BY h.id
            LIMIT ?""";

    /** Parameters: day, number of messages. */
    static final String EXPORTED = """
            INSERT INTO inbox_export (history_day, entries, exported_at)
            VALUES (CAST(? AS date), ?, clock_timestamp())""";

    /** Parameters: day. */
    static final String DROP_EXPORTED = "DELETE FROM inbox_export WHERE history_day = CAST(? AS date)";

    /** With how many messages. Parameters: day. */
    static final String IS_EXPORTED = "SELECT entries FROM inbox_export WHERE history_day = CAST(? AS date)";

    /** No row where there is none. */
    static final String LAST_EXPORTED = "SELECT history_day FROM inbox_export ORDER BY history_day DESC LIMIT 1";

    /** How many messages a time has. Parameters: since, until. */
    static final String COUNT_OF_DAY = """
            SELECT count(*)
            FROM inbox_history AS h
            WHERE h.processed_at >= CAST(? AS timestamptz) AND h.processed_at < CAST(? AS timestamptz)""";

    /** Those who have messages of a time and are not registered. Parameters: since, until. */
    static final String DELETED_CONSUMERS = """
            SELECT DISTINCT h.consumer_id
            FROM inbox_history AS h
            WHERE h.processed_at >= CAST(? AS timestamptz) AND h.processed_at < CAST(? AS timestamptz)
                AND NOT EXISTS (SELECT FROM inbox_consumer AS c WHERE c.id = h.consumer_id)
            ORDER BY 1""";

    /** Who this store is. */
    static final String STORE_ID = "SELECT id FROM inbox_store";

    /** Unless it is of a clock that was ahead. Parameters: day. */
    static final String EXPORT_MARK = """
            SELECT mark FROM inbox_export_mark WHERE history_day = CAST(? AS date) AND marked_at <= clock_timestamp()""";

    /** Parameters: day, mark. */
    static final String ADD_EXPORT_MARK = """
            INSERT INTO inbox_export_mark (history_day, mark, marked_at) VALUES (CAST(? AS date), ?, clock_timestamp())""";

    /** Parameters: day. */
    static final String DROP_EXPORT_MARK = "DELETE FROM inbox_export_mark WHERE history_day = CAST(? AS date)";

    /**
     * Whether a run that is not at its end has messages of a time before it: such a day must stay. Parameters: since, until.
     */
    static final String IS_NEEDED = """
            SELECT 1
            FROM inbox_replay AS r
            JOIN inbox_history AS h ON h.consumer_id = r.consumer_id AND h.id > r.position AND h.id <= r.cutoff
            WHERE r.state IN ('WAITING', 'RUNNING', 'PAUSED', 'FAILED')
                AND (r.since_at IS NULL OR h.processed_at >= r.since_at)
                AND (r.until_at IS NULL OR h.processed_at < r.until_at)
                AND h.processed_at >= CAST(? AS timestamptz) AND h.processed_at < CAST(? AS timestamptz)
            LIMIT 1""";

    /**
     * Keeps replays from being made while a day goes; no row is changed where another node is at it. It ends by itself, in
     * case its node dies. Parameters: whose hold it is.
     */
    static final String TAKE_HISTORY = """
            UPDATE inbox_upkeep SET busy_until = clock_timestamp() + interval '2 minutes', place = ?
            WHERE task = 'history days' AND busy_until <= clock_timestamp()""";

    /** Not where another node is at it by now. Parameters: whose hold it was. */
    static final String RELEASE_HISTORY =
            "UPDATE inbox_upkeep SET busy_until = clock_timestamp() WHERE task = 'history days' AND place = ?";

    /** No row where a day is going; otherwise none goes before this transaction ends. */
    static final String HOLD_HISTORY = """
            SELECT 1 FROM inbox_upkeep
            WHERE task = 'history days' AND busy_until <= clock_timestamp()
            FOR UPDATE""";

    /** Puts back the row that the schema came with; none is inserted where it is there. */
    static final String ADD_HISTORY = """
            INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
            VALUES ('history days', '', 'epoch', 'epoch', 'epoch', 0, 0)
            ON CONFLICT (task) DO NOTHING""";

    /** A number that is greater than that of every transaction which has written anything yet. */
    static final String MARK = "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)";

    /**
     * Whether all of them have ended. A number that no transaction has been given yet is of another cluster, from which the
     * database was restored: those that it stands for are not here. Parameters: the number.
     */
    static final String IS_PAST = """
            SELECT n.mark < CAST(CAST(pg_snapshot_xmin(n.now) AS text) AS bigint)
                OR n.mark >= CAST(CAST(pg_snapshot_xmax(n.now) AS text) AS bigint)
            FROM (SELECT CAST(? AS bigint) AS mark, pg_current_snapshot() AS now) AS n""";

    /**
     * A run that ended long ago, of whose messages the history has none any more: under its name none of them can be handed
     * over twice. Parameters: before when.
     */
    static final String OLD = """
            SELECT r.name
            FROM inbox_replay AS r
            WHERE r.state IN ('FINISHED', 'CANCELLED') AND r.updated_at < CAST(? AS timestamptz)
                AND NOT EXISTS (
                    SELECT FROM inbox_history AS h WHERE h.consumer_id = r.consumer_id AND h.id <= r.cutoff
                )
            ORDER BY r.updated_at, r.name
            LIMIT 1""";

    /** Parameters: name. */
    static final String FORGET = "DELETE FROM inbox_replay WHERE name = ? AND state IN ('FINISHED', 'CANCELLED')";

    /** Parameters: name, the last place. */
    static final String FORGET_SKIPPED = "DELETE FROM inbox_replay_skipped WHERE replay = ? AND place <= ?";

    /**
     * Days that were exported long ago and are past their time, the oldest first. Never the last one: it says that the store has
     * an archive. Parameters: before when they were exported, the first day that the history keeps, limit.
     */
    static final String OLD_EXPORTS = """
            SELECT e.history_day
            FROM inbox_export AS e
            WHERE e.exported_at < CAST(? AS timestamptz) AND e.history_day < CAST(? AS date)
                AND e.history_day < (SELECT max(l.history_day) FROM inbox_export AS l)
            ORDER BY e.history_day
            LIMIT ?""";

    /** A row where the history has messages of a time. Parameters: since, until. */
    static final String HAS_MESSAGES = """
            SELECT 1
            FROM inbox_history AS h
            WHERE h.processed_at >= CAST(? AS timestamptz) AND h.processed_at < CAST(? AS timestamptz)
            LIMIT 1""";

    /** Of days that nobody exported in the end. Parameters: before when they were marked, the first day that the history keeps. */
    static final String FORGET_EXPORT_MARKS = """
            DELETE FROM inbox_export_mark WHERE marked_at < CAST(? AS timestamptz) AND history_day < CAST(? AS date)""";

    private PostgresReplayStatements() {}

    static String text(ReplayStatement statement) {
        return switch (statement) {
            case NEWEST -> NEWEST;
            case CREATE -> CREATE;
            case FIND -> FIND;
            case LOCK -> LOCK;
            case SIZES -> SIZES;
            case READ -> READ;
            case COUNT -> COUNT;
            case SETTLE -> SETTLE;
            case MOVE -> MOVE;
            case CHANGE -> CHANGE;
            case SKIP -> SKIP;
            case SKIPPED -> SKIPPED;
            case CONSUMERS -> CONSUMERS;
            case SIZES_OF_DAY -> SIZES_OF_DAY;
            case DAY -> DAY;
            case EXPORTED -> EXPORTED;
            case DROP_EXPORTED -> DROP_EXPORTED;
            case IS_EXPORTED -> IS_EXPORTED;
            case LAST_EXPORTED -> LAST_EXPORTED;
            case COUNT_OF_DAY -> COUNT_OF_DAY;
            case DELETED_CONSUMERS -> DELETED_CONSUMERS;
            case STORE_ID -> STORE_ID;
            case EXPORT_MARK -> EXPORT_MARK;
            case ADD_EXPORT_MARK -> ADD_EXPORT_MARK;
            case DROP_EXPORT_MARK -> DROP_EXPORT_MARK;
            case IS_NEEDED -> IS_NEEDED;
            case OLD -> OLD;
            case FORGET -> FORGET;
            case FORGET_SKIPPED -> FORGET_SKIPPED;
            case OLD_EXPORTS -> OLD_EXPORTS;
            case HAS_MESSAGES -> HAS_MESSAGES;
            case FORGET_EXPORT_MARKS -> FORGET_EXPORT_MARKS;
            case TAKE_HISTORY -> TAKE_HISTORY;
            case RELEASE_HISTORY -> RELEASE_HISTORY;
            case HOLD_HISTORY -> HOLD_HISTORY;
            case ADD_HISTORY -> ADD_HISTORY;
        };
    }
}
