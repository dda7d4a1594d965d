-- The days of ledger and history, which are partitions on PostgreSQL, and the partitions of keys in digest form. Formatted with, where
-- they are: table, day as yyyymmdd, the day after it, a constraint.

-- part: to_be_dropped
-- The comment on a day's table that is detached to be dropped. A person who takes it away keeps the day.
past its time, to be dropped by the inbox

-- part: checks
-- How many constraints of the kind a table has that detaching concurrently adds, in its first transaction.
SELECT count(*) FROM pg_constraint AS k WHERE k.conrelid = c.oid AND k.contype = 'c'

-- part: is_ours
-- NULL for a day that we did not mark; otherwise whether its detaching was begun by us: it is not through with it, or has more constraints
-- since then, or was marked again with the detaching itself. What a person detaches in between, without CONCURRENTLY, has as many; so
-- has what we detached where PostgreSQL adds none.
SELECT bool_or(p.pending OR split_part(u.place, ' ', 2) <> CAST(({checks}) AS text))
    FROM inbox_upkeep AS u
    WHERE u.task = 'detach ' || c.relname AND split_part(u.place, ' ', 1) = CAST(c.oid AS text)
        AND obj_description(c.oid, 'pg_class') = '{to_be_dropped}'

-- part: lower_bound
-- A key as it is, a time in milliseconds since 1970.
CASE WHEN b.v[1] ~ '^[0-9a-f-]{36}$' THEN b.v[1]
            WHEN isfinite(CAST(b.v[1] AS timestamptz))
            THEN CAST(CAST(extract(epoch FROM CAST(b.v[1] AS timestamptz)) * 1000 AS bigint) AS text) END

-- part: upper_bound
CASE WHEN b.v[2] ~ '^[0-9a-f-]{36}$' THEN b.v[2]
            WHEN isfinite(CAST(b.v[2] AS timestamptz))
            THEN CAST(CAST(extract(epoch FROM CAST(b.v[2] AS timestamptz)) * 1000 AS bigint) AS text) END

-- part: note
-- That a marked day was detached by us.
UPDATE inbox_upkeep SET place = split_part(place, ' ', 1) || ' detached' WHERE task = 'detach %1$s_%2$s'

-- part: forget_mark
DELETE FROM inbox_upkeep WHERE task = 'detach %1$s_%2$s'

-- part: beginnings
-- What the partitions of a table begin with. Found at first, because other tables begin with something else.
WITH p AS MATERIALIZED (
    SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM '^FOR VALUES FROM [(]''([^'']+)''[)]') AS bound
    FROM pg_inherits AS i
    JOIN pg_class AS c ON c.oid = i.inhrelid

-- name: beginnings_of_history
{beginnings}
    WHERE i.inhparent = to_regclass('inbox_history')
)
SELECT CAST(CAST(p.bound AS timestamptz) AS text)
FROM p
WHERE isfinite(CAST(p.bound AS timestamptz))
ORDER BY CAST(p.bound AS timestamptz) DESC

-- name: beginnings_of_ledger
{beginnings}
    WHERE i.inhparent = to_regclass('inbox_ledger')
)
SELECT CAST(CAST(p.bound AS uuid) AS text)
FROM p
WHERE p.bound IS NOT NULL
ORDER BY CAST(p.bound AS uuid) DESC

-- name: days
-- The schema is returned where it is not that of the table. It is unknown who detached a day that we had marked where its
-- table was restored, and is another one than that which we noted. Those that somebody else detached, or began to, and that
-- we had not marked are not among them. The day before which they are is written as yyyymmdd.
SELECT right(c.relname, 8), i.inhrelid IS NOT NULL, p.pending,
       {lower_bound},
       {upper_bound},
       CASE WHEN c.relnamespace <> s.own THEN CAST(CAST(c.relnamespace AS regnamespace) AS text) END,
       i.inhrelid IS NULL AND NOT coalesce(m.ours, false)
FROM (SELECT CAST(quote_ident(current_schema()) AS regnamespace) AS own) AS s
CROSS JOIN pg_class AS c
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid AND i.inhparent = to_regclass(:table)
CROSS JOIN LATERAL (
    SELECT coalesce(CAST(to_jsonb(i) ->> 'inhdetachpending' AS boolean), false)
) AS p (pending)
CROSS JOIN LATERAL (
    SELECT regexp_match(pg_get_expr(c.relpartbound, c.oid),
        '^FOR VALUES FROM [(]''([^'']+)''[)] TO [(]''([^'']+)''[)]$')
) AS b (v)
CROSS JOIN LATERAL (
    {is_ours}
) AS m (ours)
WHERE (c.relnamespace = s.own OR i.inhrelid IS NOT NULL) AND c.relkind = 'r' AND c.relname ~ :names
    AND right(c.relname, 8) < :before
    AND ((i.inhrelid IS NOT NULL AND NOT p.pending) OR m.ours IS NOT NULL
        OR (i.inhrelid IS NULL AND obj_description(c.oid, 'pg_class') = '{to_be_dropped}'))
ORDER BY c.relname

-- name: detached_history
SELECT right(c.relname, 8), p.pending, m.ours
FROM inbox_upkeep AS t
JOIN pg_class AS c ON c.oid = to_regclass(substr(t.task, 8))
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid AND i.inhparent = to_regclass('inbox_history')
CROSS JOIN LATERAL (
    SELECT coalesce(CAST(to_jsonb(i) ->> 'inhdetachpending' AS boolean), false)
) AS p (pending)
CROSS JOIN LATERAL (
    {is_ours}
) AS m (ours)
WHERE t.task LIKE 'detach %' AND substr(t.task, 8) ~ '^inbox_history_[0-9]{8}$' AND right(t.task, 8) >= :first
    AND (p.pending OR NOT c.relispartition) AND m.ours IS NOT NULL
ORDER BY t.task

-- name: mark
-- Detaching adds no constraint where the table has its own already: then only what is not finished, or was noted as detached, is ours.
COMMENT ON TABLE %1$s_%2$s IS '{to_be_dropped}';
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
SELECT 'detach ' || c.relname, concat_ws(' ', CAST(c.oid AS text), (
        {checks}
    )), clock_timestamp(), clock_timestamp(), clock_timestamp(), 0, 0
FROM pg_class AS c
WHERE c.oid = to_regclass('%1$s_%2$s')
ON CONFLICT (task) DO UPDATE SET place = excluded.place

-- name: note_detached
{note}

-- name: unmark
COMMENT ON TABLE %1$s_%2$s IS NULL;
{forget_mark}

-- name: detach
-- Waits for those who use the table, and keeps nobody from it meanwhile.
ALTER TABLE %1$s DETACH PARTITION %1$s_%2$s CONCURRENTLY

-- name: only_reads
SELECT CAST(current_setting('default_transaction_read_only') AS boolean)

-- name: write
SET default_transaction_read_only = off

-- name: only_read
SET default_transaction_read_only = on

-- name: detach_at_once
-- What PostgreSQL 13 knows: nobody uses the table while it waits, so it waits for a second at most.
SET LOCAL lock_timeout = '1s';
ALTER TABLE %1$s DETACH PARTITION %1$s_%2$s;
{note}

-- name: finish_detaching
SET LOCAL lock_timeout = '10s';
ALTER TABLE %1$s DETACH PARTITION %1$s_%2$s FINALIZE;
{note}

-- name: drop
DROP TABLE IF EXISTS %1$s_%2$s;
{forget_mark}

-- name: is_needed
-- Wherever the run is: it may have passed the gap.
SELECT EXISTS (
    SELECT FROM inbox_replay AS r
    JOIN %1$s_%2$s AS h ON h.consumer_id = r.consumer_id AND h.id <= r.cutoff
    WHERE r.state IN ('WAITING', 'RUNNING', 'PAUSED', 'FAILED')
        AND (r.since_at IS NULL OR h.processed_at >= r.since_at)
        AND (r.until_at IS NULL OR h.processed_at < r.until_at))

-- name: count
SELECT count(*) FROM %1$s_%2$s

-- name: attach
-- Keeps nobody from the table.
ALTER TABLE %1$s ATTACH PARTITION %1$s_%2$s
FOR VALUES FROM ('%2$s 00:00:00+00') TO ('%3$s 00:00:00+00')

-- name: left_checks
SELECT quote_ident(k.conname)
FROM pg_constraint AS k
WHERE k.conrelid = to_regclass('%1$s_%2$s') AND k.contype = 'c'
    AND pg_get_constraintdef(k.oid) = 'CHECK (' || pg_get_partition_constraintdef(k.conrelid) || ')'

-- name: drop_check
ALTER TABLE %1$s_%2$s DROP CONSTRAINT %4$s

-- name: split_digests
DROP TABLE inbox_ledger_digest;
CREATE TABLE inbox_ledger_digest PARTITION OF inbox_ledger
    FOR VALUES FROM ('ff000000-0000-0000-0000-000000000000') TO (MAXVALUE)
    PARTITION BY HASH (message_key)

-- name: add_digests
-- Formatted with: the partition's number, how many there are.
CREATE TABLE inbox_ledger_digest_%1$s PARTITION OF inbox_ledger_digest
    FOR VALUES WITH (MODULUS %2$s, REMAINDER %1$s)

-- name: digest_tables
SELECT CAST(CAST(t.relid AS regclass) AS text),
       pg_relation_size(t.relid) / CAST(current_setting('block_size') AS bigint)
FROM pg_partition_tree('inbox_ledger_digest') AS t
WHERE t.isleaf
ORDER BY 1

-- name: take_task
UPDATE inbox_upkeep SET busy_until = clock_timestamp() + CAST(:lease AS bigint) * interval '1 millisecond'
WHERE task = :task AND busy_until <= clock_timestamp()

-- name: release_task
UPDATE inbox_upkeep SET busy_until = clock_timestamp() WHERE task = :task

-- name: hold_history
SELECT place = :hold AND busy_until > clock_timestamp() FROM inbox_upkeep WHERE task = 'history days' FOR UPDATE

-- name: renew_hold
UPDATE inbox_upkeep SET busy_until = clock_timestamp() + interval '2 minutes'
WHERE task = 'history days' AND place = :hold AND busy_until > clock_timestamp()

-- name: purge_digests
-- Formatted with: the table.
DELETE FROM %s AS l
WHERE l.ctid >= CAST(:from AS tid) AND l.ctid < CAST(:to AS tid)
    AND l.accepted_at < :before
    AND NOT EXISTS (
        SELECT FROM inbox_work AS w WHERE w.consumer_id = l.consumer_id AND w.message_key = l.message_key
    )
    AND NOT EXISTS (
        SELECT FROM inbox_dead_letter AS d
        WHERE d.consumer_id = l.consumer_id AND d.message_key = l.message_key
    )

-- name: end_of_ledger
SELECT newest, CAST(clock_timestamp() AT TIME ZONE 'UTC' AS date) - DATE '1970-01-01',
       CAST((clock_timestamp() + interval '10 minutes') AT TIME ZONE 'UTC' AS date) - DATE '1970-01-01',
       oldest
FROM inbox_ledger_bounds

-- name: extend_ledger
UPDATE inbox_ledger_bounds SET newest = :newest WHERE newest < :newest

-- name: day_of_table
SELECT EXISTS (
           SELECT FROM pg_inherits AS i
           JOIN pg_class AS d ON d.oid = i.inhrelid
           WHERE i.inhparent = to_regclass(:table) AND d.relname = :partition
               AND NOT coalesce(CAST(to_jsonb(i) ->> 'inhdetachpending' AS boolean), false)),
       EXISTS (
           SELECT FROM pg_class AS c
           WHERE c.relnamespace = CAST(quote_ident(current_schema()) AS regnamespace) AND c.relname = :partition)

-- name: bounds_of_day
SELECT pg_get_expr(d.relpartbound, d.oid)
FROM pg_inherits AS i
JOIN pg_class AS d ON d.oid = i.inhrelid
WHERE i.inhparent = to_regclass(:table) AND d.relname = :partition

-- name: owner_of_days
-- The owner of the table, so that others of that role may drop the day, and whoever made it may be dropped; the session's role where it may
-- not give it away.
SELECT quote_ident(CASE
    WHEN CASE WHEN CAST(current_setting('server_version_num') AS integer) < 160000
            THEN pg_has_role(c.relowner, 'MEMBER') ELSE pg_has_role(c.relowner, 'SET') END
        AND has_schema_privilege(c.relowner, c.relnamespace, 'CREATE')
    THEN pg_get_userbyid(c.relowner) ELSE current_user END)
FROM pg_class AS c
WHERE c.oid = to_regclass(:table)

-- name: add_day
-- Made apart and attached, which does not wait for open transactions; CREATE … PARTITION OF would, and every claim would queue behind
-- it. Formatted with: table, day as yyyymmdd, lower bound, upper bound, owner.
CREATE TABLE %1$s_%2$s (LIKE %1$s INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS INCLUDING INDEXES
    INCLUDING STORAGE);
ALTER TABLE %1$s_%2$s OWNER TO %5$s;
ALTER TABLE %1$s ATTACH PARTITION %1$s_%2$s FOR VALUES FROM ('%3$s') TO ('%4$s')
