package io.pigeonhole.jdbc;

/** The statements of {@link PlainStatement} about runs over the history, and its days. */
public enum ReplayStatement implements PlainStatement {
    /** The last place in a consumer's history. Parameters: consumer. */
    NEWEST("SELECT COALESCE(MAX(id), 0) FROM inbox_history WHERE consumer_id = ?"),

    /** Parameters: name, the plan, cutoff, mark, who, why, now, now; name. */
    CREATE("""
            INSERT INTO inbox_replay (name, consumer_id, since_at, until_at, type, source, ordering_key, recovery, state,
                cutoff, mark, position, done, skipped, who, why, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'WAITING', ?, ?, 0, 0, 0, ?, ?, ?, ?)"""),

    /** One of a name, or all. Parameters: name, twice. */
    FIND("""
            SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication,
                r.name, r.since_at, r.until_at, r.type, r.source, r.ordering_key, r.recovery, r.state, r.cutoff, r.position,
                r.total, r.without_payload, r.done, r.skipped, r.error, r.who, r.why, r.created_at, r.updated_at, r.mark
            FROM inbox_replay AS r
            JOIN inbox_consumer AS c ON c.id = r.consumer_id
            WHERE ? IS NULL OR r.name = ?
            ORDER BY r.created_at, r.name"""),

    /** Parameters: name. */
    LOCK("SELECT name FROM inbox_replay WHERE name = ? FOR UPDATE SKIP LOCKED"),

    /** How many bytes each row of READ has. Parameters: those of READ. */
    SIZES("""
            SELECT OCTET_LENGTH(h.headers) + COALESCE(OCTET_LENGTH(h.payload), 0)
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ? AND h.id <= ? AND h.with_payload
                AND (? IS NULL OR h.type = ?)
                AND (? IS NULL OR h.source = ?)
                AND (? IS NULL OR h.ordering_key = ?)
                AND h.processed_at >= ? AND h.processed_at < ?
            ORDER BY h.id
            LIMIT ?"""),

    /** With whether each is wanted. Parameters: consumer, position, cutoff, type, source and ordering key (each twice), since, until, limit. */
    READ("""
            SELECT h.id, h.message_key, h.attempts, h.with_payload, h.processed_at,
                h.source, h.message_id, h.type, h.ordering_key, h.headers, h.content_type, h.payload, h.origin,
                TRUE
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ? AND h.id <= ? AND h.with_payload
                AND (? IS NULL OR h.type = ?)
                AND (? IS NULL OR h.source = ?)
                AND (? IS NULL OR h.ordering_key = ?)
                AND h.processed_at >= ? AND h.processed_at < ?
            ORDER BY h.id
            LIMIT ?"""),

    /** With a payload, without, and the place before the first. Parameters: those of READ but the limit. */
    COUNT("""
            SELECT COALESCE(SUM(CASE WHEN h.with_payload THEN 1 ELSE 0 END), 0),
                COALESCE(SUM(CASE WHEN h.with_payload THEN 0 ELSE 1 END), 0),
                COALESCE(MIN(h.id) - 1, 0)
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ? AND h.id <= ?
                AND (? IS NULL OR h.type = ?)
                AND (? IS NULL OR h.source = ?)
                AND (? IS NULL OR h.ordering_key = ?)
                AND h.processed_at >= ? AND h.processed_at < ?"""),

    /** The first count stays. Parameters: total, without payload, place before the first, now, name. */
    SETTLE("""
            UPDATE inbox_replay
            SET state = 'RUNNING', total = COALESCE(total, ?), without_payload = COALESCE(without_payload, ?),
                position = GREATEST(position, ?), updated_at = ?
            WHERE name = ? AND state = 'WAITING'"""),

    /** Parameters: new position, done, skipped, state, error, now; name, old position. */
    MOVE("""
            UPDATE inbox_replay
            SET position = ?, done = done + ?, skipped = skipped + ?, state = ?, error = ?, updated_at = ?
            WHERE name = ? AND position = ? AND state = 'RUNNING'"""),

    /** Parameters: state, who, why, now; name, old state. */
    CHANGE("""
            UPDATE inbox_replay
            SET state = ?, error = NULL, who = ?, why = ?, updated_at = ?
            WHERE name = ? AND state = ?"""),

    /** Parameters: name, place, key, error. */
    SKIP("INSERT INTO inbox_replay_skipped (replay, place, message_key, error) VALUES (?, ?, ?, ?)"),

    /** Parameters: name, place, limit. */
    SKIPPED("""
            SELECT s.place, s.message_key, s.error
            FROM inbox_replay_skipped AS s
            WHERE s.replay = ? AND s.place > ?
            ORDER BY s.place
            LIMIT ?"""),

    /** All consumers, in the order of their registration. */
    CONSUMERS(
            "SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication FROM inbox_consumer AS c ORDER BY c.id"),

    /** How many bytes each row of DAY has. Parameters: those of DAY. */
    SIZES_OF_DAY("""
            SELECT COALESCE(OCTET_LENGTH(h.headers), 0) + COALESCE(OCTET_LENGTH(h.payload), 0)
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ? AND h.processed_at >= ? AND h.processed_at < ?
            ORDER BY h.id
            LIMIT ?"""),

    /** A consumer's history of a time. Parameters: consumer, place, since, until, limit. */
    DAY("""
            SELECT h.id, h.message_key, h.attempts, h.with_payload, h.processed_at,
                h.source, h.message_id, h.type, h.ordering_key, h.headers, h.content_type, h.payload, h.origin
            FROM inbox_history AS h
            WHERE h.consumer_id = ? AND h.id > ? AND h.processed_at >= ? AND h.processed_at < ?
            ORDER BY h.id
            LIMIT ?"""),

    /** Parameters: day, number of messages, now. */
    EXPORTED("INSERT INTO inbox_export (history_day, entries, exported_at) VALUES (?, ?, ?)"),

    /** Parameters: day. */
    DROP_EXPORTED("DELETE FROM inbox_export WHERE history_day = ?"),

    /** With how many messages. Parameters: day. */
    IS_EXPORTED("SELECT entries FROM inbox_export WHERE history_day = ?"),

    /** No row where there is none. */
    LAST_EXPORTED("SELECT history_day FROM inbox_export ORDER BY history_day DESC LIMIT 1"),

    /** How many messages a time has. Parameters: since, until. */
    COUNT_OF_DAY("SELECT COUNT(*) FROM inbox_history AS h WHERE h.processed_at >= ? AND h.processed_at < ?"),

    /** Those who have messages of a time and are not registered. Parameters: since, until. */
    DELETED_CONSUMERS("""
            SELECT DISTINCT h.consumer_id
            FROM inbox_history AS h
            WHERE h.processed_at >= ? AND h.processed_at < ?
                AND NOT EXISTS (SELECT 1 FROM inbox_consumer AS c WHERE c.id = h.consumer_id)
            ORDER BY 1"""),

    /** Who this store is. */
    STORE_ID("SELECT id FROM inbox_store"),

    /** Unless it is of a clock that was ahead. Parameters: day, now. */
    EXPORT_MARK("SELECT mark FROM inbox_export_mark WHERE history_day = ? AND marked_at <= ?"),

    /** Parameters: day, mark, now. */
    ADD_EXPORT_MARK("INSERT INTO inbox_export_mark (history_day, mark, marked_at) VALUES (?, ?, ?)"),

    /** Parameters: day. */
    DROP_EXPORT_MARK("DELETE FROM inbox_export_mark WHERE history_day = ?"),

    /**
     * Whether a run that is not at its end has messages of a time before it: such a day must stay. Parameters: since, until.
     */
    IS_NEEDED("""
            SELECT 1
            FROM inbox_replay AS r
            JOIN inbox_history AS h ON h.consumer_id = r.consumer_id AND h.id > r.position AND h.id <= r.cutoff
            WHERE r.state IN ('WAITING', 'RUNNING', 'PAUSED', 'FAILED')
                AND (r.since_at IS NULL OR h.processed_at >= r.since_at)
                AND (r.until_at IS NULL OR h.processed_at < r.until_at)
                AND h.processed_at >= ? AND h.processed_at < ?
            LIMIT 1"""),

    /**
     * A run that ended long ago, of whose messages the history has none any more: under its name none of them can be handed
     * over twice. Parameters: before when.
     */
    OLD("""
            SELECT r.name
            FROM inbox_replay AS r
            WHERE r.state IN ('FINISHED', 'CANCELLED') AND r.updated_at < ?
                AND NOT EXISTS (
                    SELECT 1 FROM inbox_history AS h WHERE h.consumer_id = r.consumer_id AND h.id <= r.cutoff
                )
            ORDER BY r.updated_at, r.name
            LIMIT 1"""),

    /** Parameters: name. */
    FORGET("DELETE FROM inbox_replay WHERE name = ? AND state IN ('FINISHED', 'CANCELLED')"),

    /** On PostgreSQL all of its rows up to the place. Parameters: name, place. */
    FORGET_SKIPPED("DELETE FROM inbox_replay_skipped WHERE replay = ? AND place = ?"),

    /**
     * Days that were exported long ago and are past their time, the oldest first. Never the last one: it says that the store has
     * an archive. Parameters: before when they were exported, the first day that the history keeps, limit.
     */
    OLD_EXPORTS("""
            SELECT e.history_day
            FROM inbox_export AS e
            WHERE e.exported_at < ? AND e.history_day < ?
                AND e.history_day < (SELECT MAX(l.history_day) FROM inbox_export AS l)
            ORDER BY e.history_day
            LIMIT ?"""),

    /** A row where the history has messages of a time. Parameters: since, until. */
    HAS_MESSAGES("SELECT 1 FROM inbox_history AS h WHERE h.processed_at >= ? AND h.processed_at < ? LIMIT 1"),

    /** Of days that nobody exported in the end. Parameters: before when they were marked, the first day that the history keeps. */
    FORGET_EXPORT_MARKS("DELETE FROM inbox_export_mark WHERE marked_at < ? AND history_day < ?"),

    /**
     * Keeps replays from being made while a day goes; no row is changed where another node is at it. It ends by itself, in
     * case its node dies. Parameters: until when, whose hold it is, now.
     */
    TAKE_HISTORY("UPDATE inbox_upkeep SET busy_until = ?, place = ? WHERE task = 'history days' AND busy_until <= ?"),

    /** Not where another node is at it by now. Parameters: now, whose hold it was. */
    RELEASE_HISTORY("UPDATE inbox_upkeep SET busy_until = ? WHERE task = 'history days' AND place = ?"),

    /** No row where a day is going; otherwise none goes before this transaction ends. Parameters: now. */
    HOLD_HISTORY("SELECT 1 FROM inbox_upkeep WHERE task = 'history days' AND busy_until <= ? FOR UPDATE"),

    /** Puts back the row that the schema came with; none is inserted where it is there. */
    ADD_HISTORY("""
            INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
            SELECT 'history days', '', epoch.at, epoch.at, epoch.at, 0, 0
            FROM (SELECT TIMESTAMP '1970-01-02 00:00:00' AS at) AS epoch
            WHERE NOT EXISTS (SELECT 1 FROM inbox_upkeep WHERE task = 'history days')""");

    private final String standard;

    ReplayStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
