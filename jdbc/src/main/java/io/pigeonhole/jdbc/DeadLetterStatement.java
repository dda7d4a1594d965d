package io.pigeonhole.jdbc;

/** The statements of {@link PlainStatement} about dead letters. */
public enum DeadLetterStatement implements PlainStatement {
    /**
     * Takes a place in the order of arrival for a message that never was in work: a row of no consumer, deleted again at
     * once, whose id the database makes. Parameters: key, now, four times.
     */
    TAKE_PLACE("""
            INSERT INTO inbox_work (consumer_id, message_key, lane, ordered, by_lease, status, attempts, source, headers,
                due_at, received_at, retry_since, updated_at)
            VALUES (0, ?, 0, FALSE, FALSE, 'parked', 0, '', ?, ?, ?, ?, ?)"""),

    /**
     * Waits for others that have inserted the same message; fails where it is there. Parameters: id; the columns of the
     * message, lane, ordered, hash of the ordering key; blocks, reason, detail, claimed, attempts; now, now.
     */
    BURY("""
            INSERT INTO inbox_dead_letter (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
                content_type, payload, origin, lane, ordered, ordering_hash, by_lease, blocks, reason, detail, claimed,
                attempts, received_at, died_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, FALSE, ?, ?, ?, ?, ?, ?, ?)"""),

    /** Moves a row that is locked. Parameters: id of the letter; blocks, reason, detail, claimed, attempts, now, id. */
    BURY_FROM_WORK("""
            INSERT INTO inbox_dead_letter (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
                content_type, payload, origin, lane, ordered, ordering_hash, by_lease, lease_token, received_at, blocks,
                reason, detail, claimed, attempts, died_at)
            SELECT ?, w.consumer_id, w.message_key, w.source, w.message_id, w.type, w.ordering_key, w.headers,
                w.content_type, w.payload, w.origin, w.lane, w.ordered, w.ordering_hash, w.by_lease, w.lease_token,
                w.received_at, ?, ?, ?, ?, ?, ?
            FROM inbox_work AS w
            WHERE w.id = ?"""),

    /** Of a row that is locked. Parameters: id. */
    SEEN_AGAIN("UPDATE inbox_dead_letter SET seen_again = seen_again + 1 WHERE id = ?"),

    /** Where it is the letter of another message: as if it had not been counted. Parameters: id, consumer, key. */
    NOT_SEEN("""
            UPDATE inbox_dead_letter SET seen_again = seen_again - 1
            WHERE id = ? AND NOT (consumer_id = ? AND message_key = ?)"""),

    /** Whether another message has a place. Parameters: id, consumer, key. */
    IS_TAKEN("SELECT id FROM inbox_dead_letter WHERE id = ? AND NOT (consumer_id = ? AND message_key = ?)"),

    /** Of a row that is locked. Parameters: seen again, id. */
    RECOUNT("UPDATE inbox_dead_letter SET seen_again = ? WHERE id = ?"),

    /** Without locks. Parameters: consumer, keys. */
    IDS("SELECT d.id FROM inbox_dead_letter AS d WHERE d.consumer_id = ? AND d.message_key IN ({?})"),

    /**
     * By the ids and never by the keys: MariaDB would lock the entry of the key as well, for which others wait who bury the message
     * of the key before it. In the order of the ids, so that two of them do not wait for each other. Parameters: ids, consumer.
     */
    LOCK("""
            SELECT d.id, d.message_key, d.claimed, d.seen_again, d.reason
            FROM inbox_dead_letter AS d
            WHERE d.id IN ({?}) AND d.consumer_id = ?
            ORDER BY d.id
            FOR UPDATE"""),

    /** Parameters: id. */
    IS_IN_WORK("SELECT id FROM inbox_work WHERE id = ?"),

    /** Moves a row that is locked. Parameters: id of the row in work; now, three times; id. */
    REOPEN("""
            INSERT INTO inbox_work (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
                content_type, payload, origin, lane, ordered, ordering_hash, by_lease, status, attempts, retried,
                lease_token, received_at, due_at, retry_since, updated_at)
            SELECT ?, d.consumer_id, d.message_key, d.source, d.message_id, d.type, d.ordering_key, d.headers,
                d.content_type, d.payload, d.origin, d.lane, d.ordered, d.ordering_hash, d.by_lease, 'received', d.attempts,
                d.attempts, d.lease_token, d.received_at, ?, ?, ?
            FROM inbox_dead_letter AS d
            WHERE d.id = ?"""),

    /** Of a row that is locked. Parameters: id. */
    REMOVE("DELETE FROM inbox_dead_letter WHERE id = ?");

    private final String standard;

    DeadLetterStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
