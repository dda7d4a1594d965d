package io.pigeonhole.jdbc;

/**
 * What {@link AdminStatement} says in PostgreSQL where people change something, whole, under the same rules as
 * {@link PostgresStatements}. A change locks its row first, and is then about the row as it is locked.
 */
final class PostgresChangeStatements {
    /** The same locks as {@link LaneStatements#LOCK} takes, in one row as there. Parameters: consumer, lanes in ascending order. */
    static final String LOCK_LANES = """
            SELECT count(pg_advisory_xact_lock(
                hashtextextended('pigeonhole lane ' || current_schema() || ' ' || ? || ' ' || u.lane, 0)))
            FROM (SELECT a.lane FROM unnest(CAST(? AS integer[])) WITH ORDINALITY AS a (lane, place) ORDER BY a.place) AS u""";

    /** Parameters: consumer, key. */
    static final String LOCK_WORK = """
            SELECT id, status, due_at > clock_timestamp(), lease_owner, attempts, source, message_id, last_error,
                CAST(greatest(0, extract(epoch FROM clock_timestamp() - leased_at)) * 1000000 AS bigint)
            FROM inbox_work
            WHERE consumer_id = ? AND message_key = ?
            FOR UPDATE""";

    /** Parameters: consumer, key. */
    static final String LOCK_LETTER = """
            SELECT id, reason, detail, claimed, source, message_id
            FROM inbox_dead_letter
            WHERE consumer_id = ? AND message_key = ?
            FOR UPDATE""";

    /** In the order of the keys, so that two of them do not wait for each other. Parameters: consumer, ids. */
    static final String LOCK_LETTERS = """
            SELECT id, message_key, claimed, reason
            FROM inbox_dead_letter
            WHERE consumer_id = ? AND id = ANY (CAST(? AS bigint[]))
            ORDER BY message_key
            FOR UPDATE""";

    /** Parameters: id. */
    static final String RETRY_NOW = """
            UPDATE inbox_work SET due_at = clock_timestamp(), updated_at = clock_timestamp() WHERE id = ?""";

    /** Parameters: error, id. */
    static final String RELEASE_LEASE = """
            UPDATE inbox_work
            SET status = 'parked', due_at = clock_timestamp(), lease_token = lease_token + 1, lease_owner = NULL,
                leased_at = NULL, lease_until = NULL, last_error = ?, updated_at = clock_timestamp()
            WHERE id = ? AND status = 'leased'""";

    /** Parameters: consumer, key; the columns of the attempt. */
    static final String NOTE_ATTEMPT = """
            INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,
                message, stack)
            SELECT CAST(? AS smallint), CAST(? AS uuid), a.number, a.node,
                clock_timestamp() - a.duration * interval '1 millisecond', a.duration, a.error_class, a.message, a.stack
            FROM (VALUES (CAST(? AS integer), CAST(? AS text), CAST(? AS bigint), CAST(? AS text), CAST(? AS text),
                CAST(? AS text))) AS a (number, node, duration, error_class, message, stack)""";

    /** Parameters: id. */
    static final String DISCARD_WORK = "DELETE FROM inbox_work WHERE id = ?";

    /** Parameters: id. */
    static final String DISCARD_LETTER = "DELETE FROM inbox_dead_letter WHERE id = ?";

    static final String NOW = "SELECT clock_timestamp()";

    /**
     * Moves letters that are locked to their places in the order of arrival, and tells their ids. One whose message is in work already is gone
     * afterwards. Parameters: ids, microseconds until each is due, consumer; the instant that these count from.
     */
    static final String REQUEUE = """
            WITH d AS (
                DELETE FROM inbox_dead_letter AS l
                USING unnest(CAST(? AS bigint[]), CAST(? AS bigint[])) AS u (id, delay)
                WHERE l.id = u.id AND l.consumer_id = ?
                RETURNING l.*, u.delay
            ), i AS (
                INSERT INTO inbox_work (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
                    content_type, payload, origin, lane, ordered, by_lease, status, attempts, retried, lease_token, due_at,
                    received_at, retry_since, updated_at)
                SELECT\s""" + DeadLetterStatements.FREE_WORK_ID + """
                , consumer_id, message_key, source, message_id, type, ordering_key, headers,
                    content_type, payload, origin, lane, ordered, by_lease, 'received', attempts, attempts, lease_token,
                    CAST(? AS timestamptz) + delay * interval '1 microsecond', received_at, clock_timestamp(),
                    clock_timestamp()
                FROM d
                ON CONFLICT (consumer_id, message_key) DO NOTHING
                RETURNING consumer_id, message_key
            )
            SELECT d.id FROM d JOIN i ON i.consumer_id = d.consumer_id AND i.message_key = d.message_key""";

    /** The first of a key's messages in work and dead letters that block. Parameters: consumer, lane and key, twice. */
    static final String HEAD = """
            (SELECT id, message_key, false AS dead FROM inbox_work
             WHERE consumer_id = ? AND lane = ? AND ordering_key = ? AND ordered
             ORDER BY id
             LIMIT 1)
            UNION ALL
            (SELECT id, message_key, true FROM inbox_dead_letter
             WHERE consumer_id = ? AND lane = ? AND ordering_key = ? AND blocks
             ORDER BY id
             LIMIT 1)
            ORDER BY id
            LIMIT 1""";

    /** Parameters: id. */
    static final String STOP_BLOCKING = "UPDATE inbox_dead_letter SET blocks = false WHERE id = ? AND blocks";

    /** Parameters: id, detail. */
    static final String SKIP = """
            WITH w AS (
                DELETE FROM inbox_work WHERE id = ? RETURNING *
            )
            INSERT INTO inbox_dead_letter AS d (id, consumer_id, message_key, source, message_id, type, ordering_key,
                headers, content_type, payload, origin, lane, ordered, by_lease, blocks, reason, detail, claimed, attempts,
                lease_token, received_at, died_at)
            SELECT\s""" + DeadLetterStatements.FREE_LETTER_ID + """
            , consumer_id, message_key, source, message_id, type, ordering_key,
                headers, content_type, payload, origin, lane, ordered, by_lease, false, 'SKIPPED', ?, true, attempts,
                lease_token, received_at, clock_timestamp()
            FROM w
            """ + DeadLetterStatements.THERE_ALREADY;

    /** Parameters: paused, consumer, paused. */
    static final String PAUSE = "UPDATE inbox_consumer SET paused = ? WHERE id = ? AND paused <> ?";

    /** Parameters: who, why, action, consumer's name, key or null, detail, affected. */
    static final String NOTE_CHANGE = """
            INSERT INTO inbox_audit (who, why, action, consumer, message_key, detail, affected, at)
            VALUES (?, ?, ?, ?, CAST(? AS uuid), ?, ?, clock_timestamp())""";

    private PostgresChangeStatements() {}
}
