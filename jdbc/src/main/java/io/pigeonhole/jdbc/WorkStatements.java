package io.pigeonhole.jdbc;

import java.util.List;
import java.util.stream.Stream;

/**
 * The statements for PostgreSQL about work and dead letters, whole, under the same rules as {@link PostgresStatements}.
 *
 * <p>{@code clock_timestamp()} is volatile and no condition of an index; {@code (SELECT clock_timestamp())} is one. A row
 * lock is asked for where rows are chosen, below every join and every {@code = ANY}, because a plan may otherwise lock and
 * change more rows than the limit says.
 *
 * <p>The token of a lease is its time in microseconds, or more: it grows, and is not given out again where the lease before
 * was not committed, so that a lease can be asked for after a commit whose outcome is unknown.
 */
final class WorkStatements {
    /** The columns of an unfinished message, in the order of {@link WorkItems#read}. */
    static final String ITEM = """
            w.id, w.message_key, w.attempts, w.retried,
            CAST(date_part('epoch', clock_timestamp() - w.retry_since) * 1000000 AS bigint), w.by_lease, w.lease_token,
            w.source, w.message_id, w.type, w.ordering_key, w.headers, w.content_type, w.payload, w.origin""";

    private static final String RECEIVE_INTO = """
            INSERT INTO inbox_work (consumer_id, message_key, source, message_id, type, ordering_key, headers, content_type,
                payload, origin, lane, ordered, by_lease, status, attempts, due_at, received_at, retry_since, updated_at)
            VALUES\s""";

    private static final String RECEIVED = """
            (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', 0,
                clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp())""";

    /**
     * The most messages first, the last one for one. The parameters of the messages follow one another: the columns of the
     * message, lane, ordered, by lease. To begin a statement on this table, with its indexes and constraints, costs as much
     * as the row itself.
     */
    static final List<ForMany> RECEIVE =
            Stream.of(64, 16, 4, 1).map(WorkStatements::receive).toList();

    /** A statement for so many messages. */
    record ForMany(int messages, String sql) {}

    private static ForMany receive(int messages) {
        return new ForMany(messages, RECEIVE_INTO + (RECEIVED + ", ").repeat(messages - 1) + RECEIVED);
    }

    /** Parameters: the columns of the message, lane, ordered, attempts, delay in ms, error; the columns of the attempt. */
    static final String PARK = """
            WITH parked AS (
                INSERT INTO inbox_work (consumer_id, message_key, source, message_id, type, ordering_key, headers,
                    content_type, payload, origin, lane, ordered, by_lease, status, attempts, due_at, last_error,
                    received_at, retry_since, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, false, 'parked', ?,
                    clock_timestamp() + ? * interval '1 millisecond', ?, clock_timestamp(), clock_timestamp(),
                    clock_timestamp())
                RETURNING consumer_id, message_key
            )
            INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,
                message, stack)
            SELECT consumer_id, message_key, a.number, a.node, clock_timestamp() - a.duration * interval '1 millisecond',
                a.duration, a.error_class, a.message, a.stack
            FROM parked, (VALUES (CAST(? AS integer), CAST(? AS text), CAST(? AS bigint), CAST(? AS text), CAST(? AS text),
                CAST(? AS text))) AS a (number, node, duration, error_class, message, stack)""";

    /** The same as POSTPONE for one that only waits: nothing is noted. Parameters: those of POSTPONE without the attempt. */
    static final String WAIT = """
            UPDATE inbox_work
            SET status = 'parked', attempts = ?, due_at = clock_timestamp() + ? * interval '1 millisecond',
                last_error = ?, lease_owner = NULL, leased_at = NULL, lease_until = NULL, updated_at = clock_timestamp()
            WHERE consumer_id = ? AND id = ? AND lease_token = ?""";

    /** Changes one row. Parameters: attempts, delay in ms, error, consumer, id, token; the columns of the attempt. */
    static final String POSTPONE = """
            WITH kept AS (
                UPDATE inbox_work
                SET status = 'parked', attempts = ?, due_at = clock_timestamp() + ? * interval '1 millisecond',
                    last_error = ?, lease_owner = NULL, leased_at = NULL, lease_until = NULL, updated_at = clock_timestamp()
                WHERE consumer_id = ? AND id = ? AND lease_token = ?
                RETURNING consumer_id, message_key
            )
            INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,
                message, stack)
            SELECT consumer_id, message_key, a.number, a.node, clock_timestamp() - a.duration * interval '1 millisecond',
                a.duration, a.error_class, a.message, a.stack
            FROM kept, (VALUES (CAST(? AS integer), CAST(? AS text), CAST(? AS bigint), CAST(? AS text), CAST(? AS text),
                CAST(? AS text))) AS a (number, node, duration, error_class, message, stack)""";

    /**
     * Rows of one token, by nothing but their ids: the table is empty in one moment and large in the next, and a plan that is
     * made or remembered for an empty one may read every message of the consumer for each id. So the numbers stand in the
     * text, which is planned each time, and the consumer is no condition of an index. Formatted with: ids, token, consumer.
     */
    static final String FINISH = """
            DELETE FROM inbox_work
            WHERE id = ANY (CAST('{%s}' AS bigint[])) AND lease_token = %d AND CAST(consumer_id AS integer) = %d""";

    /** In the same way. Formatted with: ids, token, consumer. */
    static final String REQUIRE_LEASE = """
            UPDATE inbox_work
            SET by_lease = true, updated_at = clock_timestamp()
            WHERE id = ANY (CAST('{%s}' AS bigint[])) AND lease_token = %d AND CAST(consumer_id AS integer) = %d""";

    /**
     * {@code date_part} and not {@code extract}, whose numeric costs more than to read the row. Locks up to the limit and
     * answers with those that fit into the bytes, each with the number of those that are locked; what is kept out of line is
     * not read to know its length. Parameters: consumer, lane, where to begin in microseconds since 1970, limit, bytes.
     */
    static final String TAKE = "SELECT " + ITEM + """
            , CAST(date_part('epoch', w.due_at) * 1000000 AS bigint), w.locked
            FROM (
                SELECT l.*, count(*) OVER () AS locked, row_number() OVER places AS place,
                    sum(octet_length(l.headers) + coalesce(octet_length(l.payload), 0)) OVER places AS bytes
                FROM (
                    SELECT *
                    FROM inbox_work
                    WHERE consumer_id = (SELECT c.id FROM inbox_consumer AS c WHERE c.id = ? AND NOT c.paused)
                        AND NOT by_lease AND lane = ? AND NOT ordered AND status <> 'leased'
                        AND due_at >= to_timestamp(0) + ? * interval '1 microsecond'
                        AND due_at <= (SELECT clock_timestamp())
                    ORDER BY due_at, id
                    LIMIT ?
                    FOR UPDATE SKIP LOCKED
                ) AS l
                WINDOW places AS (ORDER BY l.due_at, l.id ROWS UNBOUNDED PRECEDING)
            ) AS w
            WHERE w.bytes <= ? OR w.place = 1
            ORDER BY w.due_at, w.id""";

    /** Parameters: consumer, ids. */
    static final String RETAKE = "SELECT " + ITEM + """

            FROM inbox_work AS w
            WHERE consumer_id = ? AND id = ANY (CAST(? AS bigint[])) AND status <> 'leased'
            ORDER BY id
            FOR UPDATE SKIP LOCKED""";

    /** Parameters: duration in ms, owner, consumer, lane, limit. */
    static final String LEASE = """
            WITH w AS (
                UPDATE inbox_work
                SET status = 'leased', attempts = attempts + 1,
                    lease_token = greatest(lease_token + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)),
                    leased_at = clock_timestamp(), lease_until = clock_timestamp() + ? * interval '1 millisecond',
                    lease_owner = ?, updated_at = clock_timestamp()
                WHERE id = ANY (ARRAY(
                    SELECT id FROM inbox_work
                    WHERE consumer_id = (SELECT c.id FROM inbox_consumer AS c WHERE c.id = ? AND NOT c.paused)
                        AND by_lease AND lane = ? AND NOT ordered AND status <> 'leased'
                        AND due_at <= (SELECT clock_timestamp())
                    ORDER BY due_at, id
                    LIMIT ?
                    FOR UPDATE SKIP LOCKED))
                RETURNING *
            )
            SELECT\s""" + ITEM + " FROM w ORDER BY due_at, id";

    /** Rows that are locked already. Parameters: duration in ms, owner, ids, consumer. */
    static final String LEASE_THESE = """
            WITH w AS (
                UPDATE inbox_work
                SET status = 'leased', attempts = attempts + 1,
                    lease_token = greatest(lease_token + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)),
                    leased_at = clock_timestamp(), lease_until = clock_timestamp() + ? * interval '1 millisecond',
                    lease_owner = ?, updated_at = clock_timestamp()
                WHERE id = ANY (CAST(? AS bigint[])) AND consumer_id = ?
                RETURNING *
            )
            SELECT\s""" + ITEM + " FROM w ORDER BY id";

    /** Parameters: consumer, id, token. */
    static final String HOLD = """
            SELECT 1 FROM inbox_work
            WHERE consumer_id = ? AND id = ? AND lease_token = ? AND status = 'leased'
            FOR UPDATE""";

    /** In the same way. Parameters: consumer, limit, bytes. */
    static final String TAKE_EXPIRED = "SELECT " + ITEM + """
            , w.lease_owner,
                CAST(extract(epoch FROM clock_timestamp() - w.lease_until) * 1000000 AS bigint),
                CAST(extract(epoch FROM w.lease_until - w.leased_at) * 1000000 AS bigint)
            FROM (
                SELECT l.*, row_number() OVER places AS place,
                    sum(octet_length(l.headers) + coalesce(octet_length(l.payload), 0)) OVER places AS bytes
                FROM (
                    SELECT *
                    FROM inbox_work
                    WHERE consumer_id = ? AND status = 'leased' AND lease_until <= (SELECT clock_timestamp())
                    ORDER BY lease_until, id
                    LIMIT ?
                    FOR UPDATE SKIP LOCKED
                ) AS l
                WINDOW places AS (ORDER BY l.lease_until, l.id ROWS UNBOUNDED PRECEDING)
            ) AS w
            WHERE w.bytes <= ? OR w.place = 1
            ORDER BY w.lease_until, w.id""";

    /**
     * Prolongs leases without waiting. Who has locked such a row is about to finish it and is not to be waited for; its
     * lease is still told as the newest. Parameters: ids, tokens, consumer, duration in ms.
     */
    static final String PROLONG = """
            WITH mine AS MATERIALIZED (
                SELECT w.id
                FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[])) AS u (id, token)
                JOIN inbox_work AS w ON w.id = u.id AND w.lease_token = u.token
                WHERE w.consumer_id = ? AND w.status = 'leased'
            ), prolonged AS (
                UPDATE inbox_work
                SET lease_until = clock_timestamp() + ? * interval '1 millisecond', updated_at = clock_timestamp()
                WHERE id = ANY (ARRAY(
                    SELECT l.id FROM inbox_work AS l
                    WHERE l.id = ANY (ARRAY(SELECT id FROM mine)) AND l.status = 'leased'
                    FOR UPDATE SKIP LOCKED))
            )
            SELECT id FROM mine""";

    private WorkStatements() {}
}
