package io.pigeonhole.jdbc;

/**
 * The statements of {@link PlainStatement} about what the store forgets. Each that changes rows names a key, also where all rows
 * are meant: in a session with {@code sql_safe_updates} MariaDB refuses others.
 */
public enum RetentionStatement implements PlainStatement {
    /** Parameters: task, now, three times. */
    ADD_TASK("""
            INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
            VALUES (?, '', ?, ?, ?, 0, 0)"""),

    /** Parameters: task. */
    HAS_TASK("SELECT 1 FROM inbox_upkeep WHERE task = ?"),

    /** No row where another node is at it, and where there is nothing to do before its time. Parameters: task, now. */
    ENTER_TASK("SELECT place FROM inbox_upkeep WHERE task = ? AND next_at <= ? FOR UPDATE SKIP LOCKED"),

    /** Parameters: now, deleted, milliseconds, whether the next pass has a time, which, place, task. */
    NOTE_TASK("""
            UPDATE inbox_upkeep
            SET begun_at = CASE WHEN place = '' THEN ? ELSE begun_at END,
                deleted = CASE WHEN place = '' THEN 0 ELSE deleted END + ?,
                millis = CASE WHEN place = '' THEN 0 ELSE millis END + ?,
                next_at = CASE WHEN ? THEN ? ELSE next_at END,
                place = ?
            WHERE task = ?"""),

    /** Parameters: the new beginning, twice. */
    RAISE_HORIZON("UPDATE inbox_horizon SET oldest = ? WHERE only_row = TRUE AND oldest < ?"),

    /** Parameters: the number that it is above. */
    NEXT_CONSUMER("SELECT MIN(id) FROM inbox_consumer WHERE id > ?"),

    /** Parameters: consumer, the key that they are above, how many. */
    NEXT_KEYS("""
            SELECT message_key, accepted_at
            FROM inbox_ledger
            WHERE consumer_id = ? AND message_key > ?
            ORDER BY message_key
            LIMIT ?"""),

    /**
     * Keys of messages that are unfinished or dead, in one view of both tables: a message that moves from one to the other
     * meanwhile is seen in one of them. In a {@code DELETE} MariaDB would lock their rows, and read the tables one after the
     * other. Parameters: consumer, keys; twice.
     */
    UNFINISHED_KEYS("""
            SELECT w.message_key
            FROM inbox_work AS w
            WHERE w.consumer_id = ? AND w.message_key IN ({?})
            UNION ALL
            SELECT d.message_key
            FROM inbox_dead_letter AS d
            WHERE d.consumer_id = ? AND d.message_key IN ({?})"""),

    /**
     * Those of the keys that nobody else has locked, which are locked from then on. Each is named in full: MariaDB could look for
     * the consumer alone, and lock all that it has. And not the keys alone are asked for: where they are, and a list names a large
     * part of a table, it reads, and so locks for a moment, the whole index. Parameters: consumer, key, for each row.
     */
    LOCK_KEYS("""
            SELECT message_key, accepted_at
            FROM inbox_ledger
            WHERE (consumer_id, message_key) IN ({(?, ?)})
            FOR UPDATE SKIP LOCKED"""),

    /** Of a row that is locked. Parameters: consumer, key. */
    FORGET_KEY("DELETE FROM inbox_ledger WHERE consumer_id = ? AND message_key = ?"),

    /** With whose they are. Parameters: the id that they are above, from when on they are kept, how many. */
    OLD_ATTEMPTS("""
            SELECT id, consumer_id, message_key
            FROM inbox_attempt
            WHERE id > ? AND started_at < ?
            ORDER BY id
            LIMIT ?"""),

    /** Those of the attempts that nobody else has locked, which are locked from then on, as of keys. Parameters: ids. */
    LOCK_ATTEMPTS("SELECT id, started_at FROM inbox_attempt WHERE id IN ({?}) FOR UPDATE SKIP LOCKED"),

    /** Of a row that is locked. Parameter: id. */
    FORGET_ATTEMPT("DELETE FROM inbox_attempt WHERE id = ?"),

    /** Parameters: as of attempts. */
    OLD_AUDIT("SELECT a.id FROM inbox_audit AS a WHERE a.id > ? AND a.at < ? ORDER BY a.id LIMIT ?"),

    /** As of attempts. Parameters: ids. */
    LOCK_AUDIT("SELECT id, at FROM inbox_audit WHERE id IN ({?}) FOR UPDATE SKIP LOCKED"),

    /** Of a row that is locked. Parameter: id. */
    FORGET_AUDIT("DELETE FROM inbox_audit WHERE id = ?"),

    /** Where the history has no days. No row where there is none. */
    OLDEST_HISTORY("SELECT processed_at FROM inbox_history ORDER BY processed_at LIMIT 1"),

    /** Where the history has no days. Parameters: as of attempts. */
    OLD_HISTORY("SELECT id FROM inbox_history WHERE id > ? AND processed_at < ? ORDER BY id LIMIT ?"),

    /** As of attempts. Parameters: ids. */
    LOCK_HISTORY("SELECT id, processed_at FROM inbox_history WHERE id IN ({?}) FOR UPDATE SKIP LOCKED"),

    /** Of a row that is locked. Parameter: id. */
    FORGET_HISTORY("DELETE FROM inbox_history WHERE id = ?");

    private final String standard;

    RetentionStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
