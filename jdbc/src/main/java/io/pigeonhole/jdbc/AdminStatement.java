package io.pigeonhole.jdbc;

/**
 * The statements by which people look at messages and change them, whole, for databases without PostgreSQL's abilities. What
 * parameters each has is said by {@link AdminReads}, {@link AdminChanges} and {@link Requeues}; PostgreSQL has the same
 * statements with texts of its own. A change locks its row first, and is then about the row as it is locked.
 */
enum AdminStatement implements PlainStatement {
    /** The consumers by name; of one name, or all. */
    CONSUMERS("""
            SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication
            FROM inbox_consumer AS c
            WHERE (? IS NULL OR c.name = ?)
            ORDER BY c.name"""),

    /** The same columns, and how they are doing. */
    SUMMARIES("""
            SELECT c.id, c.name, c.digest_below, c.id_form, c.key_order, c.lanes, c.deduplication, c.paused,
                COALESCE(w.received, 0), COALESCE(w.parked, 0), COALESCE(w.leased, 0),
                COALESCE(d.dead, 0), COALESCE(d.blocking, 0),
                TIMESTAMPDIFF(MICROSECOND, w.oldest, ?)
            FROM inbox_consumer AS c
            LEFT JOIN (
                SELECT consumer_id, COUNT(CASE WHEN status = 'received' THEN 1 END) AS received,
                    COUNT(CASE WHEN status = 'parked' THEN 1 END) AS parked,
                    COUNT(CASE WHEN status = 'leased' THEN 1 END) AS leased,
                    MIN(CASE WHEN status <> 'leased' THEN due_at END) AS oldest
                FROM inbox_work
                GROUP BY consumer_id
            ) AS w ON w.consumer_id = c.id
            LEFT JOIN (
                SELECT consumer_id, COUNT(*) AS dead, COUNT(CASE WHEN blocks THEN 1 END) AS blocking
                FROM inbox_dead_letter
                GROUP BY consumer_id
            ) AS d ON d.consumer_id = c.id
            ORDER BY c.name"""),

    /** In the order of arrival. */
    WORK("""
            SELECT m.id, m.message_key, m.source, m.message_id, m.type, m.ordering_key, m.origin,
                COALESCE(OCTET_LENGTH(m.payload), -1),
                m.status, m.attempts, m.due_at, m.lease_owner, m.lease_until, m.received_at, m.last_error
            FROM inbox_work AS m
            WHERE m.consumer_id = ?
                AND (? IS NULL OR m.status = ?)
                AND (? IS NULL OR m.type = ?)
                AND (? IS NULL OR m.source = ?)
                AND (? IS NULL OR m.ordering_key = ?)
                AND (? IS NULL OR LOCATE(LOWER(?), LOWER(m.last_error)) > 0)
                AND m.received_at >= ? AND m.received_at < ?
                AND m.id > ?
            ORDER BY m.id
            LIMIT ?"""),

    /** The last first. */
    DEAD_LETTERS("""
            SELECT m.id, m.message_key, m.source, m.message_id, m.type, m.ordering_key, m.origin,
                COALESCE(OCTET_LENGTH(m.payload), -1),
                m.reason, m.detail, m.claimed, m.blocks, m.attempts, m.seen_again, m.received_at, m.died_at
            FROM inbox_dead_letter AS m
            WHERE m.consumer_id = ?
                AND (? IS NULL OR m.reason = ?)
                AND (? IS NULL OR m.type = ?)
                AND (? IS NULL OR m.source = ?)
                AND (? IS NULL OR m.ordering_key = ?)
                AND (? IS NULL OR LOCATE(LOWER(?), LOWER(m.detail)) > 0)
                AND m.died_at >= ? AND m.died_at < ?
                AND m.died_at <= ? AND (m.died_at < ? OR m.id < ?)
            ORDER BY m.died_at DESC, m.id DESC
            LIMIT ?"""),

    /** How many there are until a cutoff. */
    COUNT_LETTERS("""
            SELECT COUNT(*)
            FROM inbox_dead_letter AS m
            WHERE m.consumer_id = ?
                AND (? IS NULL OR m.reason = ?)
                AND (? IS NULL OR m.type = ?)
                AND (? IS NULL OR m.source = ?)
                AND (? IS NULL OR m.ordering_key = ?)
                AND (? IS NULL OR LOCATE(LOWER(?), LOWER(m.detail)) > 0)
                AND m.died_at >= ? AND m.died_at < ?
                AND m.died_at <= ?"""),

    /** Some of them, the oldest first. */
    PART("""
            SELECT m.id, m.message_key, m.lane, m.ordered, m.died_at
            FROM inbox_dead_letter AS m
            WHERE m.consumer_id = ?
                AND (? IS NULL OR m.reason = ?)
                AND (? IS NULL OR m.type = ?)
                AND (? IS NULL OR m.source = ?)
                AND (? IS NULL OR m.ordering_key = ?)
                AND (? IS NULL OR LOCATE(LOWER(?), LOWER(m.detail)) > 0)
                AND m.died_at >= ? AND m.died_at < ?
                AND m.died_at <= ?
                AND m.died_at >= ? AND (m.died_at > ? OR m.id > ?)
            ORDER BY m.died_at, m.id
            LIMIT ?"""),

    /** One, with the same columns. */
    ONE_LETTER("""
            SELECT m.id, m.message_key, m.lane, m.ordered, m.died_at
            FROM inbox_dead_letter AS m
            WHERE m.consumer_id = ? AND m.message_key = ?"""),

    /** With its bytes. */
    SHOW_WORK("""
            SELECT m.id, m.message_key, m.source, m.message_id, m.type, m.ordering_key, m.origin,
                COALESCE(OCTET_LENGTH(m.payload), -1),
                m.status, m.attempts, m.due_at, m.lease_owner, m.lease_until, m.received_at, m.last_error,
                m.source, m.message_id, m.type, m.ordering_key, m.headers, m.content_type, m.payload, m.origin
            FROM inbox_work AS m
            WHERE m.consumer_id = ? AND m.message_key = ?"""),

    /** With its bytes. */
    SHOW_LETTER("""
            SELECT m.id, m.message_key, m.source, m.message_id, m.type, m.ordering_key, m.origin,
                COALESCE(OCTET_LENGTH(m.payload), -1),
                m.reason, m.detail, m.claimed, m.blocks, m.attempts, m.seen_again, m.received_at, m.died_at,
                m.source, m.message_id, m.type, m.ordering_key, m.headers, m.content_type, m.payload, m.origin
            FROM inbox_dead_letter AS m
            WHERE m.consumer_id = ? AND m.message_key = ?"""),

    /** The last time. Where the headers were not kept, none in the format of {@link HeaderFormat}. */
    SHOW_HISTORY("""
            SELECT m.processed_at, m.with_payload, m.source, m.message_id, m.type, m.ordering_key,
                COALESCE(m.headers, X'0100000000'), m.content_type, m.payload, m.origin
            FROM inbox_history AS m
            WHERE m.consumer_id = ? AND m.message_key = ?
            ORDER BY m.processed_at DESC
            LIMIT 1"""),

    /** When the ledger took it. */
    SHOW_ACCEPTED("SELECT accepted_at FROM inbox_ledger WHERE consumer_id = ? AND message_key = ?"),

    /** The latest, in order. */
    SHOW_ATTEMPTS("""
            SELECT a.started_at, a.number, a.node, a.duration_ms, a.error_class, a.message, a.stack
            FROM (
                SELECT * FROM inbox_attempt WHERE consumer_id = ? AND message_key = ? ORDER BY number DESC, id DESC LIMIT ?
            ) AS a
            ORDER BY a.number, a.id"""),

    /** The last first. */
    AUDIT("""
            SELECT a.id, a.at, a.who, a.why, a.action, a.consumer, a.message_key, a.detail, a.affected
            FROM inbox_audit AS a
            WHERE a.consumer = ? AND a.id < ?
            ORDER BY a.id DESC
            LIMIT ?"""),

    /** The last first. */
    AUDIT_OF_MESSAGE("""
            SELECT a.id, a.at, a.who, a.why, a.action, a.consumer, a.message_key, a.detail, a.affected
            FROM inbox_audit AS a
            WHERE a.consumer = ? AND a.message_key = ?
            ORDER BY a.id DESC
            LIMIT ?"""),

    /**
     * Of each key the first of its messages in work and dead letters that block. One that has not failed, is due and has no
     * lease blocks nothing: it only waits for a worker.
     */
    BLOCKED_KEYS("""
            WITH m AS (
                SELECT ordering_hash, id, message_key, status, due_at, last_error AS error, 1 AS in_work
                FROM inbox_work
                WHERE consumer_id = ? AND ordered
                UNION ALL
                SELECT ordering_hash, id, message_key, 'dead', NULL, CONCAT(reason, ': ', detail), 0
                FROM inbox_dead_letter
                WHERE consumer_id = ? AND blocks
            ), h AS (
                SELECT m.id, m.message_key, m.status, m.due_at, m.error,
                    ROW_NUMBER() OVER (PARTITION BY m.ordering_hash ORDER BY m.id) AS place,
                    SUM(m.in_work) OVER (PARTITION BY m.ordering_hash) - m.in_work AS waiting
                FROM m
            )
            SELECT COALESCE(w.ordering_key, d.ordering_key), h.message_key, h.status, h.due_at, h.error, h.waiting
            FROM h
            LEFT JOIN inbox_work AS w ON w.id = h.id
            LEFT JOIN inbox_dead_letter AS d ON d.id = h.id
            WHERE h.place = 1 AND (h.status <> 'received' OR h.due_at > ?)
            ORDER BY h.waiting DESC, h.id
            LIMIT ?"""),

    /** With what its change depends on. */
    LOCK_WORK("""
            SELECT id, status, due_at > ?, lease_owner, attempts, source, message_id, last_error,
                TIMESTAMPDIFF(MICROSECOND, leased_at, ?)
            FROM inbox_work
            WHERE consumer_id = ? AND message_key = ?
            FOR UPDATE"""),

    /** With what the audit says of it. */
    LOCK_LETTER("""
            SELECT id, reason, detail, claimed, source, message_id
            FROM inbox_dead_letter
            WHERE consumer_id = ? AND message_key = ?
            FOR UPDATE"""),

    /** Those that are still there. */
    LOCK_LETTERS("""
            SELECT id, message_key, claimed, reason
            FROM inbox_dead_letter
            WHERE consumer_id = ? AND id IN ({?})
            ORDER BY id
            FOR UPDATE"""),

    /** Makes it due. */
    RETRY_NOW("UPDATE inbox_work SET due_at = ?, updated_at = ? WHERE id = ?"),

    /** Parks it, due, with a newer token. */
    RELEASE_LEASE("""
            UPDATE inbox_work
            SET status = 'parked', due_at = ?, lease_token = lease_token + 1, lease_owner = NULL, leased_at = NULL,
                lease_until = NULL, last_error = ?, updated_at = ?
            WHERE id = ? AND status = 'leased'"""),

    /** Notes a failed attempt. */
    NOTE_ATTEMPT("""
            INSERT INTO inbox_attempt (consumer_id, message_key, started_at, number, node, duration_ms, error_class,
                message, stack)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""),

    /** Removes it from work. */
    DISCARD_WORK("DELETE FROM inbox_work WHERE id = ?"),

    /** Removes it from the dead letters. */
    DISCARD_LETTER("DELETE FROM inbox_dead_letter WHERE id = ?"),

    /** Copies a letter to a place in work, its own unless another message has that. */
    REQUEUE("""
            INSERT INTO inbox_work (id, consumer_id, message_key, source, message_id, type, ordering_key, ordering_hash,
                headers, content_type, payload, origin, lane, ordered, by_lease, status, attempts, retried, lease_token,
                due_at, received_at, retry_since, updated_at)
            SELECT ?, consumer_id, message_key, source, message_id, type, ordering_key, ordering_hash,
                headers, content_type, payload, origin, lane, ordered, by_lease, 'received', attempts, attempts, lease_token,
                ?, received_at, ?, ?
            FROM inbox_dead_letter
            WHERE consumer_id = ? AND id = ?"""),

    /** Whether the message of a letter is in work as well. */
    IN_WORK_AGAIN("""
            SELECT COUNT(*)
            FROM inbox_dead_letter AS d JOIN inbox_work AS w
                ON w.consumer_id = d.consumer_id AND w.message_key = d.message_key
            WHERE d.id = ?"""),

    /** The first of a key's messages in work and dead letters that block. */
    HEAD("""
            (SELECT id, message_key, FALSE AS dead FROM inbox_work
             WHERE consumer_id = ? AND lane = ? AND ordering_hash = ? AND ordering_key = ? AND ordered
             ORDER BY id
             LIMIT 1)
            UNION ALL
            (SELECT id, message_key, TRUE FROM inbox_dead_letter
             WHERE consumer_id = ? AND lane = ? AND ordering_hash = ? AND ordering_key = ? AND blocks
             ORDER BY id
             LIMIT 1)
            ORDER BY id
            LIMIT 1"""),

    /** Lets those behind it go on. */
    STOP_BLOCKING("UPDATE inbox_dead_letter SET blocks = FALSE WHERE id = ? AND blocks"),

    /** Copies a message in work to a place among the dead letters, where it blocks nothing. */
    SKIP("""
            INSERT INTO inbox_dead_letter (id, consumer_id, message_key, source, message_id, type, ordering_key,
                ordering_hash, headers, content_type, payload, origin, lane, ordered, by_lease, blocks, reason, detail,
                claimed, attempts, seen_again, lease_token, received_at, died_at)
            SELECT ?, consumer_id, message_key, source, message_id, type, ordering_key,
                ordering_hash, headers, content_type, payload, origin, lane, ordered, by_lease, FALSE, 'SKIPPED', ?,
                TRUE, attempts, 0, lease_token, received_at, ?
            FROM inbox_work
            WHERE id = ?"""),

    /** Pauses or resumes. */
    PAUSE("UPDATE inbox_consumer SET paused = ? WHERE id = ? AND paused <> ?"),

    /** Changes how a paused consumer deduplicates. Parameters: how, consumer, how until now. */
    DEDUPLICATE("UPDATE inbox_consumer SET deduplication = ? WHERE id = ? AND paused AND deduplication = ?"),

    /** Takes the partitions of logs away from those who have them. Parameters: now, consumer. */
    TAKE_PARTITIONS_AWAY("UPDATE inbox_watermark SET epoch = epoch + 1, updated_at = ? WHERE consumer_id = ?"),

    /** The same, and there are no positions any more. Parameters: now, consumer. */
    RESET_WATERMARKS("""
            UPDATE inbox_watermark
            SET epoch = epoch + 1, position = -3, leader_epoch = -1, updated_at = ?
            WHERE consumer_id = ?"""),

    /** The same for one source, whatever the broker remembers. Parameters: now, consumer, source. */
    FORGET_WATERMARKS("""
            UPDATE inbox_watermark
            SET epoch = epoch + 1, position = -2, leader_epoch = -1, updated_at = ?
            WHERE consumer_id = ? AND source = ?"""),

    /** Notes what was done. */
    NOTE_CHANGE("""
            INSERT INTO inbox_audit (who, why, action, consumer, message_key, detail, affected, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""");

    private final String standard;

    AdminStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
