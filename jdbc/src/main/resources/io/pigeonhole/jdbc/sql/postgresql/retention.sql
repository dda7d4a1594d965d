-- Where PostgreSQL differs from the standard.

-- name: add_task
-- An error would end the transaction.
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
VALUES (:task, '', :now, :now, :now, 0, 0)
ON CONFLICT (task) DO NOTHING
