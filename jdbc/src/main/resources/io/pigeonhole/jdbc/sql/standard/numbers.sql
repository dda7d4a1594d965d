-- About the numbers that the database gives to rows.

-- name: largest
SELECT COALESCE((SELECT MAX(id) FROM inbox_work), 0),
    COALESCE((SELECT MAX(id) FROM inbox_dead_letter), 0),
    COALESCE((SELECT MAX(id) FROM inbox_attempt), 0),
    0,
    COALESCE((SELECT MAX(id) FROM inbox_audit), 0),
    0,
    COALESCE((SELECT MAX(id) FROM inbox_history), 0),
    COALESCE((SELECT MAX(cutoff) FROM inbox_replay), 0),
    COALESCE((SELECT MAX(id) FROM inbox_consumer), 0),
    GREATEST(COALESCE((SELECT MAX(consumer_id) FROM inbox_ledger), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_watermark), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_work), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_dead_letter), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_attempt), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_start), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_replay), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_history), 0))

-- name: next
SELECT identity_base
FROM information_schema.columns
WHERE table_schema = CURRENT_SCHEMA AND LOWER(table_name) = :table AND LOWER(column_name) = 'id'

-- name: take_work
INSERT INTO inbox_work (id, consumer_id, message_key, lane, ordered, by_lease, status, attempts, source, headers,
    due_at, received_at, retry_since, updated_at)
VALUES (:id, 0, :key, 0, FALSE, FALSE, 'parked', 0, '', :headers, :now, :now, :now, :now)

-- name: take_history
INSERT INTO inbox_history (id, consumer_id, message_key, source, with_payload, attempts, processed_at)
VALUES (:id, 0, :key, '', FALSE, 0, :now)

-- name: take_consumer
INSERT INTO inbox_consumer (id, name, id_form, digest_below, key_order, lanes, registered_at)
VALUES (:id, :name, '', 0, '', 0, :now)

-- name: free_history
DELETE FROM inbox_history WHERE id = :id

-- name: free_consumer
DELETE FROM inbox_consumer WHERE id = :id

-- name: behind_all
SELECT GREATEST(COALESCE((SELECT MAX(id) FROM inbox_work), 0),
    COALESCE((SELECT MAX(id) FROM inbox_dead_letter), 0)) + 1
