-- Consumers, and who begins with what.

-- name: find
SELECT id, id_form, digest_below, key_order, work_partitions, deduplication, name FROM inbox_consumer WHERE name = :name

-- name: register
-- Asked for before, because an insert that meets the name may use up one of the 32,767 numbers.
INSERT INTO inbox_consumer (name, id_form, digest_below, key_order, work_partitions, paused, registered_at, deduplication)
VALUES (:name, :id_form, :digest_below, :key_order, :work_partitions, FALSE, :now, :deduplication)

-- name: is_paused
SELECT paused FROM inbox_consumer WHERE id = :consumer

-- name: start
-- The first of its kind.
INSERT INTO inbox_start (consumer_id, what, position, started_by, starts, started_at)
VALUES (:consumer, :what, :position, :by, 1, :now)

-- name: start_again
-- Changes nothing where the limit is reached and the last start is fresh; one that is later than now was noted while the clock was
-- ahead. On MariaDB and MySQL an assignment sees those before it.
UPDATE inbox_start
SET starts = CASE WHEN position <> :position THEN 1 WHEN started_by = :by AND starts > 0 THEN starts ELSE starts + 1 END,
    position = :position, started_by = :by, started_at = :now
WHERE consumer_id = :consumer AND what = :what AND NOT (position = :position AND started_by <> :by AND starts >= :limit
    AND started_at > :fresh_since AND started_at <= :latest)

-- name: starts
SELECT starts FROM inbox_start WHERE consumer_id = :consumer AND what = :what

-- name: end
UPDATE inbox_start
SET starts = starts - 1, started_by = CASE WHEN started_by = :by THEN '' ELSE started_by END
WHERE consumer_id = :consumer AND what = :what AND position = :position AND starts > 0

-- name: survive
-- Where somebody else has begun since, his start stays.
UPDATE inbox_start
SET starts = CASE WHEN started_by IN (:by, '') THEN 0 ELSE starts - 1 END,
    started_by = CASE WHEN started_by = :by THEN '' ELSE started_by END
WHERE consumer_id = :consumer AND what = :what AND position = :position AND starts > 0
