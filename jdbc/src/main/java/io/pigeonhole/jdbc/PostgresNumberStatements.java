package io.pigeonhole.jdbc;

/** The statements for PostgreSQL about the numbers that rows get, under the same rules as {@link PostgresStatements}. */
final class PostgresNumberStatements {
    /**
     * The name of the sequence that gives a table its ids, where the login may read it. Parameters: the table's name, twice.
     */
    static final String SEQUENCE = """
            SELECT format('%I.%I', n.nspname, c.relname)
            FROM pg_class AS c
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE c.oid = coalesce(CAST(pg_get_serial_sequence(?, 'id') AS regclass),
                    CASE WHEN ? = 'inbox_work' THEN to_regclass('inbox_arrival') END)
                AND has_sequence_privilege(c.oid, 'SELECT')""";

    /** The number that it gives next. Formatted with: its name. */
    static final String NEXT = "SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM %s";

    /** For less time than others notice who come to write behind somebody that waits for a lock. */
    static final String WAIT_SHORTLY = "SET LOCAL lock_timeout = '100ms'";

    /** Whoever has a number from it has written to the table, not only to one of its days. Formatted with: table. */
    static final String LOCK = "LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE";

    static final String LARGEST_ARRIVAL = """
            SELECT coalesce(greatest((SELECT max(id) FROM inbox_work), (SELECT max(id) FROM inbox_dead_letter)), 0)""";

    static final String LARGEST_ATTEMPT = "SELECT coalesce(max(id), 0) FROM inbox_attempt";

    static final String LARGEST_AUDIT = "SELECT coalesce(max(id), 0) FROM inbox_audit";

    static final String LARGEST_CUTOFF = "SELECT coalesce(max(cutoff), 0) FROM inbox_replay";

    /** No index of the history begins with the number. Formatted with: from when, until when. */
    static final String LARGEST_HISTORY_BETWEEN = """
            SELECT coalesce(max(l.id), 0)
            FROM inbox_consumer AS c
            CROSS JOIN LATERAL (
                SELECT h.id FROM inbox_history AS h
                WHERE h.consumer_id = c.id AND h.processed_at >= '%1$s' AND h.processed_at < '%2$s'
                ORDER BY h.id DESC
                LIMIT 1
            ) AS l""";

    static final String LARGEST_CONSUMER = """
            SELECT coalesce(greatest((SELECT max(id) FROM inbox_consumer),
                (SELECT max(consumer_id) FROM inbox_watermark),
                (SELECT max(consumer_id) FROM inbox_work),
                (SELECT max(consumer_id) FROM inbox_dead_letter),
                (SELECT max(consumer_id) FROM inbox_attempt),
                (SELECT max(consumer_id) FROM inbox_start),
                (SELECT max(consumer_id) FROM inbox_replay)), 0)""";

    /** Formatted with: from when, until when. */
    static final String LARGEST_CONSUMER_OF_HISTORY_BETWEEN = """
            SELECT coalesce(max(consumer_id), 0)
            FROM inbox_history
            WHERE processed_at >= '%1$s' AND processed_at < '%2$s'""";

    /** Formatted with: the smallest key; where it ends; whether that key is included, as &lt; or &lt;=. */
    static final String LARGEST_LEDGER_BETWEEN = """
            SELECT coalesce(max(consumer_id), 0)
            FROM inbox_ledger
            WHERE message_key >= '%1$s' AND message_key %3$s '%2$s'""";

    private PostgresNumberStatements() {}
}
