package io.pigeonhole.jdbc;

/**
 * The statements of {@link PlainStatement} about the numbers that the database gives to rows, of which the next one has to be
 * larger than all that rows have or refer to.
 */
public enum NumberStatement implements PlainStatement {
    /**
     * The largest numbers that rows have, and the largest that other tables refer to: of work and the dead letters, of the
     * attempts, of the audit, of the history and its replays, of the consumers and what is theirs.
     */
    LARGEST("""
            SELECT COALESCE((SELECT MAX(id) FROM inbox_work), 0),
                COALESCE((SELECT MAX(id) FROM inbox_dead_letter), 0),
                COALESCE((SELECT MAX(id) FROM inbox_attempt), 0),
                0,
                COALESCE((SELECT MAX(id) FROM inbox_audit), 0),
                0,
                COALESCE((SELECT MAX(id) FROM inbox_history), 0),
                COALESCE((SELECT MAX(cutoff) FROM inbox_replay), 0),
                COALESCE((SELECT MAX(id) FROM inbox_consumer), 0),
                GREATEST(COALESCE((SELECT MAX(consumer_id) FROM inbox_ledger), 0),
                    COALESCE((SELECT MAX(consumer_id) FROM inbox_watermark), 0),
                    COALESCE((SELECT MAX(consumer_id) FROM inbox_work), 0),
                    COALESCE((SELECT MAX(consumer_id) FROM inbox_dead_letter), 0),
                    COALESCE((SELECT MAX(consumer_id) FROM inbox_attempt), 0),
                    COALESCE((SELECT MAX(consumer_id) FROM inbox_start), 0),
                    COALESCE((SELECT MAX(consumer_id) FROM inbox_replay), 0),
                    COALESCE((SELECT MAX(consumer_id) FROM inbox_history), 0))"""),

    /** The number that the next row of a table gets. Parameters: the table's name in lower case. */
    NEXT("""
            SELECT identity_base
            FROM information_schema.columns
            WHERE table_schema = CURRENT_SCHEMA AND LOWER(table_name) = ? AND LOWER(column_name) = 'id'"""),

    /**
     * Takes a place in work that no message has: a row of no consumer, deleted again in the same transaction. Parameters: id,
     * key, headers, now, four times.
     */
    TAKE_WORK("""
            INSERT INTO inbox_work (id, consumer_id, message_key, lane, ordered, by_lease, status, attempts, source, headers,
                due_at, received_at, retry_since, updated_at)
            VALUES (?, 0, ?, 0, FALSE, FALSE, 'parked', 0, '', ?, ?, ?, ?, ?)"""),

    /** The same in the history. Parameters: id, key, now. */
    TAKE_HISTORY("""
            INSERT INTO inbox_history (id, consumer_id, message_key, source, with_payload, attempts, processed_at)
            VALUES (?, 0, ?, '', FALSE, 0, ?)"""),

    /** The same among the consumers. Parameters: id, name, now. */
    TAKE_CONSUMER("""
            INSERT INTO inbox_consumer (id, name, id_form, digest_below, key_order, lanes, registered_at)
            VALUES (?, ?, '', 0, '', 0, ?)"""),

    /** Parameters: id. */
    FREE_WORK("DELETE FROM inbox_work WHERE id = ?"),

    /** Parameters: id. */
    FREE_HISTORY("DELETE FROM inbox_history WHERE id = ?"),

    /** Parameters: id. */
    FREE_CONSUMER("DELETE FROM inbox_consumer WHERE id = ?"),

    /** A number behind all that work and the dead letters have. */
    BEHIND_ALL("""
            SELECT GREATEST(COALESCE((SELECT MAX(id) FROM inbox_work), 0),
                COALESCE((SELECT MAX(id) FROM inbox_dead_letter), 0)) + 1""");

    private final String standard;

    NumberStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
