-- The horizon, the tasks of upkeep, and rows that are past their time, on PostgreSQL.

-- name: horizon
SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint), oldest, newest FROM inbox_horizon

-- name: raise_horizon
UPDATE inbox_horizon SET oldest = :oldest WHERE oldest < :oldest

-- name: hold_history
SELECT place = :hold AND busy_until > clock_timestamp() FROM inbox_upkeep WHERE task = 'history days' FOR UPDATE

-- name: renew_hold
UPDATE inbox_upkeep SET busy_until = clock_timestamp() + interval '2 minutes'
WHERE task = 'history days' AND place = :hold AND busy_until > clock_timestamp()

-- name: add_task
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
VALUES (:task, '', clock_timestamp(), clock_timestamp(), clock_timestamp(), 0, 0)
ON CONFLICT (task) DO NOTHING

-- name: enter_task
SELECT place FROM inbox_upkeep WHERE task = :task AND next_at <= clock_timestamp() FOR UPDATE SKIP LOCKED

-- name: note_task
UPDATE inbox_upkeep
SET begun_at = CASE WHEN place = '' THEN clock_timestamp() ELSE begun_at END,
    deleted = CASE WHEN place = '' THEN 0 ELSE deleted END + :deleted,
    millis = CASE WHEN place = '' THEN 0 ELSE millis END + :millis,
    next_at = CASE WHEN :over THEN clock_timestamp() + CAST(:pause AS bigint) * interval '1 millisecond' ELSE next_at END,
    place = :place
WHERE task = :task

-- name: take_task
UPDATE inbox_upkeep SET busy_until = clock_timestamp() + CAST(:lease AS bigint) * interval '1 millisecond'
WHERE task = :task AND busy_until <= clock_timestamp()

-- name: release_task
UPDATE inbox_upkeep SET busy_until = clock_timestamp() WHERE task = :task

-- name: purge_digests
-- Formatted with: table.
DELETE FROM %s AS l
WHERE l.ctid >= CAST(:from AS tid) AND l.ctid < CAST(:to AS tid)
    AND l.accepted_at < (SELECT clock_timestamp() - CAST(:retention AS bigint) * interval '1 millisecond')
    AND NOT EXISTS (
        SELECT FROM inbox_work AS w WHERE w.consumer_id = l.consumer_id AND w.message_key = l.message_key
    )
    AND NOT EXISTS (
        SELECT FROM inbox_dead_letter AS d
        WHERE d.consumer_id = l.consumer_id AND d.message_key = l.message_key
    )

-- name: purge_attempts
WITH b AS MATERIALIZED (
    SELECT a.id FROM inbox_attempt AS a
    WHERE a.id > :place AND a.started_at < (SELECT clock_timestamp() - CAST(:retention AS bigint) * interval '1 millisecond')
    ORDER BY a.id
    LIMIT :limit
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
SELECT max(b.id), count(*), (SELECT count(*) FROM g) FROM b

-- name: purge_audit
WITH b AS MATERIALIZED (
    SELECT a.id FROM inbox_audit AS a
    WHERE a.id > :place AND a.at < (SELECT clock_timestamp() - CAST(:retention AS bigint) * interval '1 millisecond')
    ORDER BY a.id
    LIMIT :limit
), g AS (
    DELETE FROM inbox_audit AS a USING b WHERE a.id = b.id RETURNING a.id
)
SELECT max(b.id), count(*), (SELECT count(*) FROM g) FROM b
