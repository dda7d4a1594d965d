-- Where PostgreSQL differs from the standard: a row that is refused would end its transaction.

-- name: register
INSERT INTO inbox_consumer (name, id_form, digest_below, key_order, work_partitions, paused, registered_at, deduplication)
VALUES (:name, :id_form, :digest_below, :key_order, :work_partitions, FALSE, :now, :deduplication)
ON CONFLICT (name) DO NOTHING

-- name: start
INSERT INTO inbox_start (consumer_id, what, position, started_by, starts, started_at)
VALUES (:consumer, :what, :position, :by, 1, :now)
ON CONFLICT (consumer_id, what) DO NOTHING
