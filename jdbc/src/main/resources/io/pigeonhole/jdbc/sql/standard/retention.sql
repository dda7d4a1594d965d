-- The statements of retention. Each that changes rows names a key, also where all rows are meant: in a session with
-- sql_safe_updates MariaDB refuses others.

-- name: has_task
SELECT 1 FROM inbox_upkeep WHERE task = :task

-- name: add_task
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
VALUES (:task, '', :now, :now, :now, 0, 0)

-- name: enter_task
SELECT place FROM inbox_upkeep WHERE task = :task AND next_at <= :now FOR UPDATE SKIP LOCKED

-- name: note_task
UPDATE inbox_upkeep
SET begun_at = CASE WHEN place = '' THEN :now ELSE begun_at END,
    deleted = CASE WHEN place = '' THEN 0 ELSE deleted END + :deleted,
    millis = CASE WHEN place = '' THEN 0 ELSE millis END + :millis,
    next_at = CASE WHEN :over THEN :next ELSE next_at END,
    place = :place
WHERE task = :task

-- name: raise_bounds
UPDATE inbox_ledger_bounds SET oldest = :oldest WHERE only_row = TRUE AND oldest < :oldest

-- name: unfinished_keys
-- In one view of both tables: a message that moves from one to the other meanwhile is seen in one of them. In a DELETE MariaDB
-- would lock their rows, and read the tables one after the other.
SELECT w.message_key
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.message_key IN (:keys...)
UNION ALL
SELECT d.message_key
FROM inbox_dead_letter AS d
WHERE d.consumer_id = :consumer AND d.message_key IN (:keys...)

-- name: old_attempts
{sorted}
SELECT id, consumer_id, message_key
FROM inbox_attempt
WHERE id > :above AND started_at < :before
ORDER BY id
LIMIT :limit
{end_of_sorted}
{by_id}

-- name: lock_attempts
{as_listed}
SELECT id, started_at FROM inbox_attempt {by_primary_key} WHERE id IN (:ids...) FOR UPDATE SKIP LOCKED

-- name: forget_attempt
{at_once}
DELETE FROM inbox_attempt WHERE id = :id

-- name: old_audit
{sorted} SELECT a.id FROM inbox_audit AS a WHERE a.id > :above AND a.at < :before ORDER BY a.id LIMIT :limit {end_of_sorted} {by_id}

-- name: lock_audit
{as_listed}
SELECT id, at FROM inbox_audit {by_primary_key} WHERE id IN (:ids...) FOR UPDATE SKIP LOCKED

-- name: forget_audit
{at_once}
DELETE FROM inbox_audit WHERE id = :id
