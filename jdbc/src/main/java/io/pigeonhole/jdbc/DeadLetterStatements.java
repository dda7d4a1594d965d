package io.pigeonhole.jdbc;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The statements for PostgreSQL about dead letters, whole, under the same rules as {@link PostgresStatements}. */
final class DeadLetterStatements {
    /**
     * What becomes of a letter that is there already: it counts as seen again. One that was never claimed, and whose message
     * was accepted since and now dies, becomes the letter of that message as a whole: a requeue must not take it for one
     * whose message has taken effect.
     */
    static final String THERE_ALREADY =
            "ON CONFLICT (consumer_id, message_key) DO UPDATE SET seen_again = d.seen_again + 1"
                    + Stream.of(
                                    "id",
                                    "claimed",
                                    "source",
                                    "message_id",
                                    "type",
                                    "ordering_key",
                                    "headers",
                                    "content_type",
                                    "payload",
                                    "origin",
                                    "lane",
                                    "ordered",
                                    "by_lease",
                                    "blocks",
                                    "reason",
                                    "detail",
                                    "attempts",
                                    "lease_token",
                                    "received_at",
                                    "died_at")
                            .map(column ->
                                    ", " + column + " = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded."
                                            + column + " ELSE d." + column + " END")
                            .collect(Collectors.joining());

    /** The id that a row w of work gets among the dead letters. */
    static final String FREE_LETTER_ID = """
            CASE WHEN EXISTS (SELECT FROM inbox_dead_letter AS other WHERE other.id = w.id)
                THEN nextval('inbox_arrival') ELSE w.id END""";

    /** The id that a dead letter d gets in work. */
    static final String FREE_WORK_ID = """
            CASE WHEN EXISTS (SELECT FROM inbox_work AS other WHERE other.id = d.id)
                THEN nextval('inbox_arrival') ELSE d.id END""";

    /**
     * Parameters: the columns of the message, lane, ordered, blocks, reason, detail, claimed, attempts; the columns of the
     * attempt or nulls.
     */
    static final String BURY = """
            WITH buried AS (
                INSERT INTO inbox_dead_letter AS d (consumer_id, message_key, source, message_id, type, ordering_key,
                    headers, content_type, payload, origin, lane, ordered, by_lease, blocks, reason, detail, claimed,
                    attempts, received_at, died_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, false, ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp())\s""" + THERE_ALREADY + """

                RETURNING consumer_id, message_key, seen_again = 0 OR died_at >= statement_timestamp() AS is_new
            )
            INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,
                message, stack)
            SELECT consumer_id, message_key, a.number, a.node, clock_timestamp() - a.duration * interval '1 millisecond',
                a.duration, a.error_class, a.message, a.stack
            FROM buried, (VALUES (CAST(? AS integer), CAST(? AS text), CAST(? AS bigint), CAST(? AS text), CAST(? AS text),
                CAST(? AS text))) AS a (number, node, duration, error_class, message, stack)
            WHERE a.number IS NOT NULL AND buried.is_new""";

    /**
     * Moves one row, its bytes as they are, and with its id, unless the sequence has begun anew and another message has that:
     * then it goes behind all. Parameters: consumer, id, token; the columns of the attempt or nulls; blocks,
     * reason, detail, claimed, attempts.
     */
    static final String BURY_FROM_WORK = """
            WITH w AS (
                DELETE FROM inbox_work WHERE consumer_id = ? AND id = ? AND lease_token = ?
                RETURNING *
            ), noted AS (
                INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,
                    message, stack)
                SELECT w.consumer_id, w.message_key, a.number, a.node,
                    clock_timestamp() - a.duration * interval '1 millisecond', a.duration, a.error_class, a.message, a.stack
                FROM w, (VALUES (CAST(? AS integer), CAST(? AS text), CAST(? AS bigint), CAST(? AS text),
                    CAST(? AS text), CAST(? AS text))) AS a (number, node, duration, error_class, message, stack)
                WHERE a.number IS NOT NULL
            )
            INSERT INTO inbox_dead_letter AS d (id, consumer_id, message_key, source, message_id, type, ordering_key,
                headers, content_type, payload, origin, lane, ordered, by_lease, blocks, reason, detail, claimed, attempts,
                lease_token, received_at, died_at)
            SELECT\s""" + FREE_LETTER_ID + """
            , consumer_id, message_key, source, message_id, type, ordering_key,
                headers, content_type, payload, origin, lane, ordered, by_lease, ?, ?, ?, ?, ?,
                lease_token, received_at, clock_timestamp()
            FROM w
            """ + THERE_ALREADY;

    /** In the order of the keys, so that two of them do not wait for each other. Parameters: consumer, keys. */
    static final String SEEN_AGAIN = """
            UPDATE inbox_dead_letter SET seen_again = seen_again + 1
            WHERE id = ANY (ARRAY(
                SELECT id FROM inbox_dead_letter
                WHERE consumer_id = ? AND message_key = ANY (CAST(? AS uuid[]))
                ORDER BY message_key
                FOR UPDATE))
            RETURNING message_key""";

    /** In the order of the keys, as above; the ids stay as above too. Parameters: consumer, keys. */
    static final String REOPEN = """
            WITH d AS (
                DELETE FROM inbox_dead_letter
                WHERE id = ANY (ARRAY(
                    SELECT id FROM inbox_dead_letter
                    WHERE consumer_id = ? AND message_key = ANY (CAST(? AS uuid[])) AND claimed
                        AND reason <> 'BYTES_NOT_STORED'
                    ORDER BY message_key
                    FOR UPDATE))
                RETURNING *
            )
            INSERT INTO inbox_work (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
                content_type, payload, origin, lane, ordered, by_lease, status, attempts, retried, lease_token, due_at,
                received_at, retry_since, updated_at)
            SELECT id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
                content_type, payload, origin, lane, ordered, by_lease, 'received', attempts, attempts, lease_token,
                clock_timestamp(), received_at, clock_timestamp(), clock_timestamp()
            FROM d
            RETURNING message_key""";

    private DeadLetterStatements() {}
}
