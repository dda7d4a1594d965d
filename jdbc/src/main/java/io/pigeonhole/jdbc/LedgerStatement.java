package io.pigeonhole.jdbc;

/** The statements of {@link PlainStatement} about consumers, the ledger, the history and starts. */
public enum LedgerStatement implements PlainStatement {
    /** The database's clock, in microseconds since 1970; nothing else reads it. */
    NOW("SELECT CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)"),

    /** Whether the database takes writes. */
    IS_WRITABLE("SELECT TRUE"),

    /** Where the ledger begins and ends. */
    HORIZON("SELECT oldest, newest FROM inbox_horizon"),

    /**
     * The same for a transaction of the caller, as it is now and not as it was when that transaction began; where the dialect
     * says so, it stays so until the transaction ends.
     */
    HOLD_HORIZON("SELECT oldest, newest FROM inbox_horizon"),

    /** Parameters: the new end, twice. */
    EXTEND_LEDGER("UPDATE inbox_horizon SET newest = ? WHERE only_row = TRUE AND newest < ?"),

    /**
     * The horizon, whether the consumer is paused, and which keys the ledger has, all of one moment and without locks: one
     * row with the first two, and one for each key. Parameters: consumer, consumer, keys.
     */
    LOOK("""
            SELECT NULL AS message_key, h.oldest, h.newest, c.paused
            FROM inbox_horizon AS h CROSS JOIN inbox_consumer AS c
            WHERE c.id = ?
            UNION ALL
            SELECT l.message_key, NULL, NULL, NULL
            FROM inbox_ledger AS l
            WHERE l.consumer_id = ? AND l.message_key IN ({?})"""),

    /** Waits for others that have inserted one of the keys; fails where it is there. Parameters of each row: all columns. */
    CLAIM("INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at) VALUES {(?, ?, ?, ?)}"),

    /** Where the ledger begins by now, and whether the consumer has dead letters. Parameters: consumer. */
    END_OF_CLAIM("""
            SELECT h.oldest, EXISTS (SELECT 1 FROM inbox_dead_letter AS d WHERE d.consumer_id = ?)
            FROM inbox_horizon AS h"""),

    /** Parameters: consumer and key, three times. */
    CONTAINS("""
            SELECT EXISTS (SELECT 1 FROM inbox_ledger WHERE consumer_id = ? AND message_key = ?)
                OR EXISTS (SELECT 1 FROM inbox_work WHERE consumer_id = ? AND message_key = ?)
                OR EXISTS (SELECT 1 FROM inbox_dead_letter WHERE consumer_id = ? AND message_key = ?)"""),

    /** Parameters: consumer and keys, twice. */
    KNOWN("""
            SELECT message_key FROM inbox_work WHERE consumer_id = ? AND message_key IN ({?})
            UNION
            SELECT message_key FROM inbox_dead_letter WHERE consumer_id = ? AND message_key IN ({?})"""),

    /** Parameters: consumer, keys. */
    HASHES("""
            SELECT message_key, payload_hash
            FROM inbox_ledger
            WHERE consumer_id = ? AND message_key IN ({?}) AND payload_hash IS NOT NULL"""),

    /** Payloads that are kept. Parameters: consumer and keys, twice. */
    PAYLOADS("""
            SELECT message_key, payload FROM inbox_work WHERE consumer_id = ? AND message_key IN ({?})
            UNION ALL
            SELECT message_key, payload
            FROM inbox_dead_letter
            WHERE consumer_id = ? AND message_key IN ({?}) AND reason <> 'BYTES_NOT_STORED'"""),

    /** Parameters: the columns of the message, with payload, attempts, now. */
    RECORD("""
            INSERT INTO inbox_history (consumer_id, message_key, source, message_id, type, ordering_key, headers,
                content_type, payload, origin, with_payload, attempts, processed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""),

    /** Those who store, each lane named in full: MariaDB could look for the consumer alone. Parameters: consumer, lane, for each row. */
    LOCK_LANES("""
            SELECT lane
            FROM inbox_lane
            WHERE (consumer_id, kind, lane) IN ({(?, 'store', ?)})
            ORDER BY consumer_id, kind, lane
            FOR UPDATE"""),

    /** Those who work; no row where another is there. Parameters: consumer, lane. */
    ENTER_LANE("""
            SELECT lane
            FROM inbox_lane
            WHERE consumer_id = ? AND kind = 'work' AND lane = ?
            FOR UPDATE SKIP LOCKED""");

    private final String standard;

    LedgerStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
