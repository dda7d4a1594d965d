package io.pigeonhole.jdbc;

/** The statements by which PostgreSQL forgets, whole. Names are written as in {@link PostgresStatements}. */
final class PostgresRetentionStatements {
    /** Now, and where the ledger begins and ends. */
    static final String READ = """
            SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint), oldest, newest FROM inbox_horizon""";

    /** Parameters: the new beginning, twice. */
    static final String RAISE_HORIZON = "UPDATE inbox_horizon SET oldest = ? WHERE oldest < ?";

    /** The comment on a day's table that is detached to be dropped. A person who takes it away keeps the day. */
    private static final String TO_BE_DROPPED = "past its time, to be dropped by the inbox";

    /** How many constraints of the kind a table has that detaching concurrently adds, in its first transaction. */
    private static final String CHECKS =
            "SELECT count(*) FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.contype = 'c'";

    /**
     * NULL for a day that we did not mark; otherwise whether its detaching was begun by us: it is not through with it, or has more
     * constraints since then, or was marked again with the detaching itself. What a person detaches in between, without
     * CONCURRENTLY, has as many; so has what we detached where PostgreSQL adds none.
     */
    private static final String IS_OURS = """
            SELECT bool_or(p.pending OR split_part(u.place, ' ', 2) <> CAST((%2$s) AS text))
                FROM inbox_upkeep AS u
                WHERE u.task = 'detach ' || c.relname AND split_part(u.place, ' ', 1) = CAST(c.oid AS text)
                    AND obj_description(c.oid, 'pg_class') = '%1$s'""".formatted(TO_BE_DROPPED, CHECKS);

    /** A bound of a partition: a key as it is, a time in milliseconds since 1970. Formatted with: 1 or 2. */
    private static final String BOUND = """
            CASE WHEN b.v[%1$s] ~ '^[0-9a-f-]{36}$' THEN b.v[%1$s]
                        WHEN isfinite(CAST(b.v[%1$s] AS timestamptz))
                        THEN CAST(CAST(extract(epoch FROM CAST(b.v[%1$s] AS timestamptz)) * 1000 AS bigint) AS text) END""";

    /**
     * The days of a table by their names, oldest first, attached or to be dropped: with whether they are attached, whether
     * we began to detach them and did not end, where those that are attached begin and end, their schema where it is not
     * that of the table, and whether it is unknown who detached a day that we had marked, such as one whose table was restored, which
     * is another one than that which we noted. Without those that somebody else detached, or began to, and that we had not marked. Parameters: the table, the pattern of names, the day as yyyymmdd before which they are.
     */
    static final String DAYS = """
            SELECT right(c.relname, 8), i.inhrelid IS NOT NULL, p.pending,
                   %s,
                   %s,
                   CASE WHEN c.relnamespace <> s.own THEN CAST(CAST(c.relnamespace AS regnamespace) AS text) END,
                   i.inhrelid IS NULL AND NOT coalesce(m.ours, false)
            FROM (SELECT CAST(quote_ident(current_schema()) AS regnamespace) AS own) AS s
            CROSS JOIN pg_class AS c
            LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid AND i.inhparent = to_regclass(?)
            CROSS JOIN LATERAL (
                SELECT coalesce(CAST(to_jsonb(i) ->> 'inhdetachpending' AS boolean), false)
            ) AS p (pending)
            CROSS JOIN LATERAL (
                SELECT regexp_match(pg_get_expr(c.relpartbound, c.oid),
                    '^FOR VALUES FROM [(]''([^'']+)''[)] TO [(]''([^'']+)''[)]$')
            ) AS b (v)
            CROSS JOIN LATERAL (
                %s
            ) AS m (ours)
            WHERE (c.relnamespace = s.own OR i.inhrelid IS NOT NULL) AND c.relkind = 'r' AND c.relname ~ ?
                AND right(c.relname, 8) < ?
                AND ((i.inhrelid IS NOT NULL AND NOT p.pending) OR m.ours IS NOT NULL
                    OR (i.inhrelid IS NULL AND obj_description(c.oid, 'pg_class') = '%s'))
            ORDER BY c.relname""".formatted(BOUND.formatted(1), BOUND.formatted(2), IS_OURS, TO_BE_DROPPED);

    /**
     * The days of the history that we marked and that are detached, or about to be, oldest first: with whether they are attached,
     * and whether we detached them, which is unknown otherwise. Parameters: the first day as yyyymmdd.
     */
    static final String DETACHED_HISTORY = """
            SELECT right(c.relname, 8), p.pending, m.ours
            FROM inbox_upkeep AS t
            JOIN pg_class AS c ON c.oid = to_regclass(substr(t.task, 8))
            LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid AND i.inhparent = to_regclass('inbox_history')
            CROSS JOIN LATERAL (
                SELECT coalesce(CAST(to_jsonb(i) ->> 'inhdetachpending' AS boolean), false)
            ) AS p (pending)
            CROSS JOIN LATERAL (
                %s
            ) AS m (ours)
            WHERE t.task LIKE 'detach %%' AND substr(t.task, 8) ~ '^inbox_history_[0-9]{8}$' AND right(t.task, 8) >= ?
                AND (p.pending OR NOT c.relispartition) AND m.ours IS NOT NULL
            ORDER BY t.task""".formatted(IS_OURS);

    /**
     * Before a day is detached: notes the table, and how many constraints it has. Detaching adds none where the table has its
     * own already: then only what is not finished, or was noted as detached, is ours.
     */
    static final String MARK = """
            COMMENT ON TABLE %%1$s_%%2$s IS '%s';
            INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
            SELECT 'detach ' || c.relname, concat_ws(' ', CAST(c.oid AS text), (
                    %s
                )), clock_timestamp(), clock_timestamp(), clock_timestamp(), 0, 0
            FROM pg_class AS c
            WHERE c.oid = to_regclass('%%1$s_%%2$s')
            ON CONFLICT (task) DO UPDATE SET place = excluded.place""".formatted(TO_BE_DROPPED, CHECKS);

    /** Notes that a marked day was detached by us. */
    static final String NOTE_DETACHED = """
            UPDATE inbox_upkeep SET place = split_part(place, ' ', 1) || ' detached' WHERE task = 'detach %1$s_%2$s'""";

    private static final String FORGET_MARK = "DELETE FROM inbox_upkeep WHERE task = 'detach %1$s_%2$s'";

    static final String UNMARK = "COMMENT ON TABLE %1$s_%2$s IS NULL;\n" + FORGET_MARK;

    /** Waits for those who use the table, and keeps nobody from it meanwhile. Not in a transaction. */
    static final String DETACH = "ALTER TABLE %1$s DETACH PARTITION %1$s_%2$s CONCURRENTLY";

    /** Whether transactions of the session only read by default, as a role or a database may say. */
    static final String ONLY_READS = "SELECT CAST(current_setting('default_transaction_read_only') AS boolean)";

    /** Before {@link #DETACH} where they do. */
    static final String WRITE = "SET default_transaction_read_only = off";

    /** Behind it. */
    static final String ONLY_READ = "SET default_transaction_read_only = on";

    /** What PostgreSQL 13 knows: nobody uses the table while it waits, so it waits for a second at most. */
    static final String DETACH_AT_ONCE = """
            SET LOCAL lock_timeout = '1s';
            ALTER TABLE %1$s DETACH PARTITION %1$s_%2$s;
            """ + NOTE_DETACHED;

    /** Ends what was interrupted. */
    static final String FINALIZE = """
            SET LOCAL lock_timeout = '10s';
            ALTER TABLE %1$s DETACH PARTITION %1$s_%2$s FINALIZE;
            """ + NOTE_DETACHED;

    static final String DROP = "DROP TABLE IF EXISTS %1$s_%2$s;\n" + FORGET_MARK;

    /**
     * Keeps runs over the history from being made before this transaction ends, and says whether none was made since a hold was
     * taken. Parameters: the hold.
     */
    static final String HOLD_HISTORY = """
            SELECT place = ? AND busy_until > clock_timestamp() FROM inbox_upkeep WHERE task = 'history days' FOR UPDATE""";

    /** Unless the hold has ended. Parameters: the hold. */
    static final String RENEW_HOLD = """
            UPDATE inbox_upkeep SET busy_until = clock_timestamp() + interval '2 minutes'
            WHERE task = 'history days' AND place = ? AND busy_until > clock_timestamp()""";

    /** Whether messages of a detached day belong to a run that is not over, wherever it is: it may have passed the gap. */
    static final String IS_NEEDED = """
            SELECT EXISTS (
                SELECT FROM inbox_replay AS r
                JOIN %1$s_%2$s AS h ON h.consumer_id = r.consumer_id AND h.id <= r.cutoff
                WHERE r.state IN ('WAITING', 'RUNNING', 'PAUSED', 'FAILED')
                    AND (r.since_at IS NULL OR h.processed_at >= r.since_at)
                    AND (r.until_at IS NULL OR h.processed_at < r.until_at))""";

    /** How many rows a day has that is detached. */
    static final String COUNT = "SELECT count(*) FROM %1$s_%2$s";

    /** Keeps nobody from the table. Formatted with the day after it, too. */
    static final String ATTACH = """
            ALTER TABLE %1$s ATTACH PARTITION %1$s_%2$s
            FOR VALUES FROM ('%2$s 00:00:00+00') TO ('%3$s 00:00:00+00')""";

    /** The constraints that detaching has left on a day which has it in its bounds again. */
    static final String LEFT_CHECKS = """
            SELECT quote_ident(k.conname)
            FROM pg_constraint AS k
            WHERE k.conrelid = to_regclass('%1$s_%2$s') AND k.contype = 'c'
                AND pg_get_constraintdef(k.oid) = 'CHECK (' || pg_get_partition_constraintdef(k.conrelid) || ')'""";

    /** Formatted with: table, day, the day after it, the constraint. */
    static final String DROP_CHECK = "ALTER TABLE %1$s_%2$s DROP CONSTRAINT %4$s";

    /** The table of the keys in digest form, empty, made anew for hash partitions. */
    static final String SPLIT_DIGESTS = """
            DROP TABLE inbox_ledger_digest;
            CREATE TABLE inbox_ledger_digest PARTITION OF inbox_ledger
                FOR VALUES FROM ('ff000000-0000-0000-0000-000000000000') TO (MAXVALUE)
                PARTITION BY HASH (message_key)""";

    /** Formatted with: the partition's number, how many there are. */
    static final String ADD_DIGESTS = """
            CREATE TABLE inbox_ledger_digest_%1$s PARTITION OF inbox_ledger_digest
                FOR VALUES WITH (MODULUS %2$s, REMAINDER %1$s)""";

    /** Parameters: task. */
    static final String ADD_TASK = """
            INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
            VALUES (?, '', clock_timestamp(), clock_timestamp(), clock_timestamp(), 0, 0)
            ON CONFLICT (task) DO NOTHING""";

    /** No row where another node is at it, and where there is nothing to do before its time. Parameters: task. */
    static final String ENTER_TASK = """
            SELECT place FROM inbox_upkeep WHERE task = ? AND next_at <= clock_timestamp() FOR UPDATE SKIP LOCKED""";

    /** Parameters: deleted, milliseconds, whether the pass is over, its pause in milliseconds, place, task. */
    static final String NOTE_TASK = """
            UPDATE inbox_upkeep
            SET begun_at = CASE WHEN place = '' THEN clock_timestamp() ELSE begun_at END,
                deleted = CASE WHEN place = '' THEN 0 ELSE deleted END + ?,
                millis = CASE WHEN place = '' THEN 0 ELSE millis END + ?,
                next_at = CASE WHEN ? THEN clock_timestamp() + CAST(? AS bigint) * interval '1 millisecond' ELSE next_at END,
                place = ?
            WHERE task = ?""";

    /** No row is changed where another node is at it. Parameters: for how many milliseconds at most, task. */
    static final String TAKE_TASK = """
            UPDATE inbox_upkeep SET busy_until = clock_timestamp() + CAST(? AS bigint) * interval '1 millisecond'
            WHERE task = ? AND busy_until <= clock_timestamp()""";

    /** Parameters: task. */
    static final String RELEASE_TASK = "UPDATE inbox_upkeep SET busy_until = clock_timestamp() WHERE task = ?";

    /** The tables that hold the keys in digest form, and how many pages each has: one, or those of the hash partitions. */
    static final String DIGEST_TABLES = """
            SELECT CAST(CAST(t.relid AS regclass) AS text),
                   pg_relation_size(t.relid) / CAST(current_setting('block_size') AS bigint)
            FROM pg_partition_tree('inbox_ledger_digest') AS t
            WHERE t.isleaf
            ORDER BY 1""";

    /**
     * Looks through some pages, in the order in which they lie. Formatted with: table. Parameters: from and to as tid, the
     * retention in milliseconds.
     */
    static final String PURGE_DIGEST = """
            DELETE FROM %s AS l
            WHERE l.ctid >= CAST(? AS tid) AND l.ctid < CAST(? AS tid)
                AND l.accepted_at < (SELECT clock_timestamp() - CAST(? AS bigint) * interval '1 millisecond')
                AND NOT EXISTS (
                    SELECT FROM inbox_work AS w WHERE w.consumer_id = l.consumer_id AND w.message_key = l.message_key
                )
                AND NOT EXISTS (
                    SELECT FROM inbox_dead_letter AS d
                    WHERE d.consumer_id = l.consumer_id AND d.message_key = l.message_key
                )""";

    /**
     * Where it came to, how many rows it looked at and how many it deleted. Parameters: place, the retention in milliseconds,
     * how many rows.
     */
    static final String PURGE_ATTEMPTS = """
            WITH b AS MATERIALIZED (
                SELECT a.id FROM inbox_attempt AS a
                WHERE a.id > ? AND a.started_at < (SELECT clock_timestamp() - CAST(? AS bigint) * interval '1 millisecond')
                ORDER BY a.id
                LIMIT ?
            ), g AS (
                DELETE FROM inbox_attempt AS a USING b
                WHERE a.id = b.id
                    AND NOT EXISTS (
                        SELECT FROM inbox_work AS w WHERE w.consumer_id = a.consumer_id AND w.message_key = a.message_key
                    )
                    AND NOT EXISTS (
                        SELECT FROM inbox_dead_letter AS d
                        WHERE d.consumer_id = a.consumer_id AND d.message_key = a.message_key
                    )
                RETURNING a.id
            )
            SELECT max(b.id), count(*), (SELECT count(*) FROM g) FROM b""";

    /** The same of what people did. */
    static final String PURGE_AUDIT = """
            WITH b AS MATERIALIZED (
                SELECT a.id FROM inbox_audit AS a
                WHERE a.id > ? AND a.at < (SELECT clock_timestamp() - CAST(? AS bigint) * interval '1 millisecond')
                ORDER BY a.id
                LIMIT ?
            ), g AS (
                DELETE FROM inbox_audit AS a USING b WHERE a.id = b.id RETURNING a.id
            )
            SELECT max(b.id), count(*), (SELECT count(*) FROM g) FROM b""";

    private PostgresRetentionStatements() {}
}
