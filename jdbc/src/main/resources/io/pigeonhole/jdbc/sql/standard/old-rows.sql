-- Old rows of ledger and history, found key by key and id by id.

-- name: next_consumer
SELECT MIN(id) FROM inbox_consumer WHERE id > :above

-- name: next_keys
{sorted}
SELECT message_key, accepted_at
FROM inbox_ledger
WHERE consumer_id = :consumer AND message_key > :key
ORDER BY message_key
LIMIT :limit
{end_of_sorted}
{by_key}

-- name: lock_keys
-- Each is named in full: MariaDB could look for the consumer alone, and lock all that it has. And not the keys alone are asked
-- for: where they are, and a list names a large part of a table, it reads, and so locks for a moment, the whole index.
{as_listed}
SELECT message_key, accepted_at
FROM inbox_ledger {by_primary_key}
WHERE (consumer_id, message_key) IN ({(:consumer, :keys...)})
FOR UPDATE SKIP LOCKED

-- name: forget_key
DELETE FROM inbox_ledger WHERE consumer_id = :consumer AND message_key = :key

-- name: oldest_history
{sorted} SELECT processed_at FROM inbox_history ORDER BY processed_at LIMIT 1 {end_of_sorted}

-- name: old_history
{sorted} SELECT id FROM inbox_history WHERE id > :above AND processed_at < :before ORDER BY id LIMIT :limit {end_of_sorted} {by_id}

-- name: lock_history
{as_listed}
SELECT id, processed_at FROM inbox_history WHERE id IN (:ids...) FOR UPDATE SKIP LOCKED

-- name: forget_history
DELETE FROM inbox_history WHERE id = :id
