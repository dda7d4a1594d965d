-- About the counters that give numbers to rows.

-- name: next
SELECT identity_base
FROM information_schema.columns
WHERE table_schema = CURRENT_SCHEMA AND LOWER(table_name) = :table AND LOWER(column_name) = :column

-- name: take_history
INSERT INTO inbox_history (id, consumer_id, message_key, source, with_payload, attempts, processed_at)
VALUES (:id, 0, :key, '', FALSE, 0, :now)

-- name: free_history
-- Not the row that another one gave this number meanwhile: the primary key has the day besides.
DELETE FROM inbox_history WHERE id = :id AND consumer_id = 0

-- name: take_consumer
INSERT INTO inbox_consumer (id, name, id_form, digest_below, key_order, work_partitions, registered_at)
VALUES (:id, :name, '', 0, '', 0, :now)

-- name: free_consumer
DELETE FROM inbox_consumer WHERE id = :id
