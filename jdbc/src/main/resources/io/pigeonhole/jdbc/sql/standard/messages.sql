-- About one message.

-- name: add_attempt
INSERT INTO inbox_attempt (consumer_id, message_key, started_at, number, node, duration_ms, error_class, message, stack)
VALUES (:consumer, :key, :started, :number, :node, :duration, :error_class, :message, :stack)

-- name: delete_from_work
DELETE FROM inbox_work WHERE id = :id

-- name: delete_dead_letter
DELETE FROM inbox_dead_letter WHERE id = :id
