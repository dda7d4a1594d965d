package io.pigeonhole.jdbc;

/** Changes that people make and that PostgreSQL does in one statement, under the same rules as {@link PostgresStatements}. */
final class PostgresChangeStatements {
    /** The same locks as {@link LaneStatements#LOCK} takes, in one row as there. Parameters: consumer, lanes in ascending order. */
    static final String LOCK_LANES = """
            SELECT count(pg_advisory_xact_lock(
                hashtextextended('pigeonhole lane ' || current_schema() || ' ' || ? || ' ' || u.lane, 0)))
            FROM (SELECT a.lane FROM unnest(CAST(? AS integer[])) WITH ORDINALITY AS a (lane, place) ORDER BY a.place) AS u""";

    /**
     * Moves letters that are locked to their places in the order of arrival, and tells their ids. One whose message is in work already is gone
     * afterwards. Each is due so many microseconds behind the first instant.
     */
    private static final String REQUEUE_TEXT = """
            WITH d AS (
                DELETE FROM inbox_dead_letter AS l
                USING unnest(CAST(:ids AS bigint[]), CAST(:delays AS bigint[])) AS u (id, delay)
                WHERE l.id = u.id AND l.consumer_id = :consumer
                RETURNING l.*, u.delay
            ), i AS (
                INSERT INTO inbox_work (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
                    content_type, payload, origin, lane, ordered, by_lease, status, attempts, retried, lease_token, due_at,
                    received_at, retry_since, updated_at)
                SELECT\s""" + DeadLetterStatements.FREE_WORK_ID + """
                , consumer_id, message_key, source, message_id, type, ordering_key, headers,
                    content_type, payload, origin, lane, ordered, by_lease, 'received', attempts, attempts, lease_token,
                    CAST(:first AS timestamptz) + delay * interval '1 microsecond', received_at, clock_timestamp(),
                    clock_timestamp()
                FROM d
                ON CONFLICT (consumer_id, message_key) DO NOTHING
                RETURNING consumer_id, message_key
            )
            SELECT d.id FROM d JOIN i ON i.consumer_id = d.consumer_id AND i.message_key = d.message_key""";

    /** Moves a message in work to the dead letters. */
    private static final String SKIP_TEXT =
            """
            WITH w AS (
                DELETE FROM inbox_work WHERE id = :id RETURNING *
            )
            INSERT INTO inbox_dead_letter AS d (id, consumer_id, message_key, source, message_id, type, ordering_key,
                headers, content_type, payload, origin, lane, ordered, by_lease, blocks, reason, detail, claimed, attempts,
                lease_token, received_at, died_at)
            SELECT\s""" + DeadLetterStatements.FREE_LETTER_ID + """
            , consumer_id, message_key, source, message_id, type, ordering_key,
                headers, content_type, payload, origin, lane, ordered, by_lease, false, 'SKIPPED', :detail, true, attempts,
                lease_token, received_at, clock_timestamp()
            FROM w
            """ + DeadLetterStatements.THERE_ALREADY;

    static final Sql REQUEUE = Sql.parse(REQUEUE_TEXT);

    static final Sql SKIP = Sql.parse(SKIP_TEXT);

    private PostgresChangeStatements() {}
}
