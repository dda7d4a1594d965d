package io.pigeonhole.jdbc;

/**
 * The statements of {@link PlainStatement} about unfinished messages. Rows are looked for without locks and then locked by
 * their ids, so that no plan can lock more of them than are taken.
 */
public enum WorkStatement implements PlainStatement {
    /** Parameters: consumer. */
    IS_PAUSED("SELECT paused FROM inbox_consumer WHERE id = ?"),

    /**
     * Parameters: the columns of the message, lane, ordered, hash of the ordering key, by lease; due, received, retried since
     * and updated.
     */
    RECEIVE("""
            INSERT INTO inbox_work (consumer_id, message_key, source, message_id, type, ordering_key, headers, content_type,
                payload, origin, lane, ordered, ordering_hash, by_lease, status, attempts, due_at, received_at, retry_since,
                updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', 0, ?, ?, ?, ?)"""),

    /**
     * Parameters: the columns of the message, lane, ordered, hash of the ordering key, attempts, error; due, received,
     * retried since and updated.
     */
    PARK("""
            INSERT INTO inbox_work (consumer_id, message_key, source, message_id, type, ordering_key, headers, content_type,
                payload, origin, lane, ordered, ordering_hash, by_lease, status, attempts, last_error, due_at, received_at,
                retry_since, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, FALSE, 'parked', ?, ?, ?, ?, ?, ?)"""),

    /** Parameters: consumer, key, started; number, node, duration in ms, error class, message, stack. */
    NOTE_ATTEMPT("""
            INSERT INTO inbox_attempt (consumer_id, message_key, started_at, number, node, duration_ms, error_class, message,
                stack)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""),

    /**
     * A page of what is due without an order, the oldest first, and how many bytes each has. Parameters: consumer, by lease, lane, now; where to begin:
     * due, due, due, id; limit.
     */
    DUE_PAGE("""
            SELECT w.id, w.due_at, OCTET_LENGTH(w.headers) + COALESCE(OCTET_LENGTH(w.payload), 0)
            FROM inbox_work AS w
            WHERE w.consumer_id = ? AND w.by_lease = ? AND w.lane = ? AND w.ordered = FALSE AND w.status <> 'leased'
                AND w.due_at <= ? AND w.due_at >= ? AND (w.due_at > ? OR (w.due_at = ? AND w.id > ?))
            ORDER BY w.due_at, w.id
            LIMIT ?"""),

    /** Locks what is still due and nobody else's. Parameters: ids, by lease, now. */
    TAKE("""
            SELECT w.id, w.message_key, w.attempts, w.retried, w.retry_since, w.by_lease, w.lease_token,
                w.source, w.message_id, w.type, w.ordering_key, w.headers, w.content_type, w.payload, w.origin
            FROM inbox_work AS w
            WHERE w.id IN ({?}) AND w.status <> 'leased' AND w.by_lease = ? AND w.due_at <= ?
            FOR UPDATE SKIP LOCKED"""),

    /** The same without the messages themselves. Parameters: ids, by lease, now. */
    LOCK_DUE("""
            SELECT w.id, w.ordering_key
            FROM inbox_work AS w
            WHERE w.id IN ({?}) AND w.status <> 'leased' AND w.by_lease = ? AND w.due_at <= ?
            FOR UPDATE SKIP LOCKED"""),

    /** What is taken, due or not. Parameters: ids, consumer. */
    RETAKE("""
            SELECT w.id, w.message_key, w.attempts, w.retried, w.retry_since, w.by_lease, w.lease_token,
                w.source, w.message_id, w.type, w.ordering_key, w.headers, w.content_type, w.payload, w.origin
            FROM inbox_work AS w
            WHERE w.id IN ({?}) AND w.consumer_id = ? AND w.status <> 'leased'
            FOR UPDATE SKIP LOCKED"""),

    /** The ordering keys of messages that are due, the oldest due first. Parameters: consumer, by lease, lane, now, limit. */
    KEYS_OF_DUE("""
            SELECT w.ordering_key
            FROM inbox_work AS w
            WHERE w.consumer_id = ? AND w.by_lease = ? AND w.lane = ? AND w.ordered = TRUE AND w.status <> 'leased'
                AND w.due_at <= ?
            ORDER BY w.due_at, w.id
            LIMIT ?"""),

    /**
     * A page of the first messages of ordering keys, as far as they are due and behind no dead letter, the oldest due first, for
     * lanes in which very many messages are due behind others that are not, or that somebody has locked. Each page walks all
     * first messages of the lane. Parameters: consumer, lane, by lease, now; where to begin: due, due, due, id; limit.
     */
    DUE_HEADS("""
            SELECT w.id, w.due_at, 0
            FROM (
                SELECT MIN(m.id) AS id
                FROM inbox_work AS m
                WHERE m.consumer_id = ? AND m.lane = ? AND m.ordering_hash IS NOT NULL
                GROUP BY m.ordering_hash
            ) AS h
            JOIN inbox_work AS w ON w.id = h.id
            WHERE w.by_lease = ? AND w.status <> 'leased' AND w.due_at <= ? AND w.due_at >= ?
                AND (w.due_at > ? OR (w.due_at = ? AND w.id > ?))
                AND NOT EXISTS (
                    SELECT 1
                    FROM inbox_dead_letter AS d
                    WHERE d.consumer_id = w.consumer_id AND d.lane = w.lane AND d.ordering_hash = w.ordering_hash
                        AND d.blocks = TRUE AND d.id < w.id)
            ORDER BY w.due_at, w.id
            LIMIT ?"""),

    /**
     * The first messages of each key, however many are behind them, and the dead letters that block these keys, in one view of
     * both tables: a message that moves from one to the other meanwhile is seen once. Says of each whether it may be taken.
     * Parameters: consumer, lane, hashes of ordering keys; then for each key: consumer, lane, hash of the ordering key, limit.
     */
    FIRST_OF_KEYS("""
            SELECT d.id, d.ordering_key, FALSE, d.by_lease, d.died_at, 0
            FROM inbox_dead_letter AS d
            WHERE d.consumer_id = ? AND d.lane = ? AND d.ordering_hash IN ({?}) AND d.blocks = TRUE
            UNION ALL
            {{(SELECT w.id, w.ordering_key, w.status <> 'leased', w.by_lease, w.due_at,
                OCTET_LENGTH(w.headers) + COALESCE(OCTET_LENGTH(w.payload), 0)
            FROM inbox_work AS w
            WHERE w.consumer_id = ? AND w.lane = ? AND w.ordering_hash = ?
            ORDER BY w.id
            LIMIT ?)}}"""),

    /** Which ordering keys have messages in work, or a dead letter that blocks. Parameters: consumer, lanes, hashes; twice. */
    BLOCKED("""
            SELECT DISTINCT w.ordering_key
            FROM inbox_work AS w
            WHERE w.consumer_id = ? AND w.lane IN ({?}) AND w.ordering_hash IN ({?})
            UNION
            SELECT d.ordering_key
            FROM inbox_dead_letter AS d
            WHERE d.consumer_id = ? AND d.lane IN ({?}) AND d.ordering_hash IN ({?}) AND d.blocks = TRUE"""),

    /** Locks messages, waiting for others. Parameters: ids, consumer. */
    LOCK("""
            SELECT w.id, w.lease_token
            FROM inbox_work AS w
            WHERE w.id IN ({?}) AND w.consumer_id = ?
            FOR UPDATE"""),

    /** Of a row that is locked. Parameters: attempts, due, error, now, id. */
    POSTPONE("""
            UPDATE inbox_work
            SET status = 'parked', attempts = ?, due_at = ?, last_error = ?, lease_owner = NULL, leased_at = NULL,
                lease_until = NULL, updated_at = ?
            WHERE id = ?"""),

    /** Of a row that is locked. Parameters: now, id. */
    REQUIRE_LEASE("UPDATE inbox_work SET by_lease = TRUE, updated_at = ? WHERE id = ?"),

    /** Of a row that is locked. Parameters: id. */
    FINISH("DELETE FROM inbox_work WHERE id = ?"),

    /** Of a row that is locked. Parameters: attempts, token, leased, until, owner, now, id. */
    LEASE("""
            UPDATE inbox_work
            SET status = 'leased', attempts = ?, lease_token = ?, leased_at = ?, lease_until = ?, lease_owner = ?,
                updated_at = ?
            WHERE id = ?"""),

    /** Parameters: id, consumer, token. */
    HOLD("""
            SELECT w.id
            FROM inbox_work AS w
            WHERE w.id = ? AND w.consumer_id = ? AND w.lease_token = ? AND w.status = 'leased'
            FOR UPDATE"""),

    /** A page of the leases that have run out, and how many bytes their messages have. Parameters: consumer, now; where to begin: until, until, until, id; limit. */
    EXPIRED_PAGE("""
            SELECT w.id, w.lease_until, OCTET_LENGTH(w.headers) + COALESCE(OCTET_LENGTH(w.payload), 0)
            FROM inbox_work AS w
            WHERE w.consumer_id = ? AND w.status = 'leased' AND w.lease_until <= ? AND w.lease_until >= ?
                AND (w.lease_until > ? OR (w.lease_until = ? AND w.id > ?))
            ORDER BY w.lease_until, w.id
            LIMIT ?"""),

    /** Locks those that have still run out. Parameters: ids, now. */
    TAKE_EXPIRED("""
            SELECT w.id, w.message_key, w.attempts, w.retried, w.retry_since, w.by_lease, w.lease_token,
                w.source, w.message_id, w.type, w.ordering_key, w.headers, w.content_type, w.payload, w.origin,
                w.lease_owner, w.leased_at, w.lease_until
            FROM inbox_work AS w
            WHERE w.id IN ({?}) AND w.status = 'leased' AND w.lease_until <= ?
            FOR UPDATE SKIP LOCKED"""),

    /** Parameters: consumer, ids. */
    LEASES("""
            SELECT w.id, w.lease_token
            FROM inbox_work AS w
            WHERE w.consumer_id = ? AND w.id IN ({?}) AND w.status = 'leased'"""),

    /** Of these the ones that nobody is about to finish. Parameters: ids. */
    LOCK_LEASES("""
            SELECT w.id, w.lease_token
            FROM inbox_work AS w
            WHERE w.id IN ({?}) AND w.status = 'leased'
            FOR UPDATE SKIP LOCKED"""),

    /** Of a row that is locked. Parameters: until, now, id. */
    PROLONG("UPDATE inbox_work SET lease_until = ?, updated_at = ? WHERE id = ?"),

    /** For each lane, with and without lease, with and without order, when the first is due; or NULL. Parameters: consumers. */
    DUE("""
            SELECT l.consumer_id, k.by_lease, l.lane, (
                SELECT w.due_at
                FROM inbox_work AS w
                WHERE w.consumer_id = l.consumer_id AND w.by_lease = k.by_lease AND w.lane = l.lane
                    AND w.ordered = k.ordered AND w.status <> 'leased'
                ORDER BY w.due_at, w.id
                LIMIT 1) AS due_at
            FROM inbox_lane AS l
            JOIN inbox_consumer AS c ON c.id = l.consumer_id
            CROSS JOIN (
                SELECT FALSE AS by_lease, FALSE AS ordered
                UNION ALL SELECT TRUE, FALSE
                UNION ALL SELECT FALSE, TRUE
                UNION ALL SELECT TRUE, TRUE
            ) AS k
            WHERE l.consumer_id IN ({?}) AND l.kind = 'store' AND c.paused = FALSE"""),

    /** For each consumer when the first lease runs out; or NULL. Parameters: consumers. */
    EXPIRING("""
            SELECT c.id, (
                SELECT w.lease_until
                FROM inbox_work AS w
                WHERE w.consumer_id = c.id AND w.status = 'leased' AND w.lease_until IS NOT NULL
                ORDER BY w.lease_until
                LIMIT 1) AS lease_until
            FROM inbox_consumer AS c
            WHERE c.id IN ({?})""");

    private final String standard;

    WorkStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
