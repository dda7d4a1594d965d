package io.pigeonhole.jdbc;

/**
 * The statements of {@link PlainStatement} about what the store forgets. Each that changes rows names a key, also where all rows
 * are meant: in a session with {@code sql_safe_updates} MariaDB refuses others.
 */
public enum RetentionStatement implements PlainStatement {
    /** From when ages count. */
    CLOCK("SELECT seen_at, trusted_at FROM inbox_clock"),

    /** No row is changed where another node looked meanwhile. Parameters: seen, trusted, seen before. */
    MOVE_CLOCK("UPDATE inbox_clock SET seen_at = ?, trusted_at = ? WHERE only_row = TRUE AND seen_at = ?"),

    /** Parameters: now, twice. */
    CONFIRM_CLOCK("UPDATE inbox_clock SET seen_at = ?, trusted_at = ? WHERE only_row = TRUE"),

    /** Begins all passes anew: their times may be of a wrong clock. Parameters: now. */
    RESTART_TASKS("UPDATE inbox_upkeep SET next_at = ? WHERE task > ''"),

    /** Ends what a wrong clock would hold for long. Parameters: now, the latest that is not of one. */
    FREE_TASKS("UPDATE inbox_upkeep SET busy_until = ? WHERE task > '' AND busy_until > ?"),

    /**
     * Takes back by how much the clock was ahead when a message was changed last, from all that it waits for. Parameters: now,
     * four times; from when on a change is one of the future.
     */
    PULL_BACK("""
            UPDATE inbox_work
            SET due_at = due_at - (updated_at - CAST(? AS TIMESTAMP(6))),
                leased_at = leased_at - (updated_at - CAST(? AS TIMESTAMP(6))),
                lease_until = lease_until - (updated_at - CAST(? AS TIMESTAMP(6))),
                updated_at = ?
            WHERE updated_at > ?"""),

    /** No age begins in the future. Parameters: now, twice; from when on a time is one of the future, twice. */
    PULL_BACK_AGES("""
            UPDATE inbox_work
            SET received_at = LEAST(received_at, CAST(? AS TIMESTAMP(6))), retry_since = LEAST(retry_since, CAST(? AS TIMESTAMP(6)))
            WHERE received_at > ? OR retry_since > ?"""),

    /** What the programs of the schema want to remember, and when each was confirmed last. */
    REQUIRED("SELECT what, millis, confirmed_at FROM inbox_retention"),

    /** Parameters: now, what, milliseconds. */
    CONFIRM_REQUIRED("UPDATE inbox_retention SET confirmed_at = ? WHERE what = ? AND millis = ?"),

    /** Parameters: now, what, milliseconds. */
    ADD_REQUIRED("INSERT INTO inbox_retention (confirmed_at, what, millis) VALUES (?, ?, ?)"),

    /** Unless somebody confirmed it meanwhile. Parameters: when it was confirmed, what, milliseconds. */
    DROP_REQUIRED("DELETE FROM inbox_retention WHERE confirmed_at = ? AND what = ? AND millis = ?"),

    /** NULL where no program has said. */
    LONGEST_WINDOW("SELECT MAX(millis) FROM inbox_retention WHERE what = 'window'"),

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

    /** Parameters: consumer, key. */
    FORGET_KEY("DELETE FROM inbox_ledger WHERE consumer_id = ? AND message_key = ?"),

    /** With whose they are. Parameters: the id that they are above, from when on they are kept, how many. */
    OLD_ATTEMPTS("""
            SELECT id, consumer_id, message_key
            FROM inbox_attempt
            WHERE id > ? AND started_at < ?
            ORDER BY id
            LIMIT ?"""),

    /** Parameter: id. */
    FORGET_ATTEMPT("DELETE FROM inbox_attempt WHERE id = ?"),

    /** Parameters: as of attempts. */
    OLD_AUDIT("SELECT a.id FROM inbox_audit AS a WHERE a.id > ? AND a.at < ? ORDER BY a.id LIMIT ?"),

    /** Parameter: id. */
    FORGET_AUDIT("DELETE FROM inbox_audit WHERE id = ?"),

    /** Where the history has no days. No row where there is none. */
    OLDEST_HISTORY("SELECT processed_at FROM inbox_history ORDER BY processed_at LIMIT 1"),

    /** Where the history has no days. Parameters: as of attempts. */
    OLD_HISTORY("SELECT id FROM inbox_history WHERE id > ? AND processed_at < ? ORDER BY id LIMIT ?"),

    /** Parameter: id. */
    FORGET_HISTORY("DELETE FROM inbox_history WHERE id = ?"),

    /** Tables, about how many rows they have, and how many bytes or NULL. */
    TABLE_SIZES("""
            SELECT table_name, row_count_estimate, CAST(NULL AS BIGINT)
            FROM information_schema.tables
            WHERE table_schema = CURRENT_SCHEMA AND table_type = 'BASE TABLE'"""),

    /** Every task, with its pass. */
    TASKS("SELECT task, begun_at, place, deleted, millis FROM inbox_upkeep WHERE task <> 'history days' ORDER BY task");

    private final String standard;

    RetentionStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
