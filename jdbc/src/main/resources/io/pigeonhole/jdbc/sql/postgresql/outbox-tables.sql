-- The two tables of messages to send, which are used in turns.

-- name: tables
-- Which one is appended to, and how many bytes each has on disk, with what is kept out of line.
SELECT g.current, pg_table_size('outbox_message_0'), pg_table_size('outbox_message_1') FROM outbox_generation AS g

-- name: has_messages_0
SELECT 1 FROM outbox_message_0 LIMIT 1

-- name: has_messages_1
SELECT 1 FROM outbox_message_1 LIMIT 1

-- name: lock_0
-- Those who read it wait behind this, so that it gives up soon.
SET LOCAL lock_timeout = 200;
LOCK TABLE outbox_message_0 IN ACCESS EXCLUSIVE MODE

-- name: lock_1
SET LOCAL lock_timeout = 200;
LOCK TABLE outbox_message_1 IN ACCESS EXCLUSIVE MODE

-- name: truncate_0
TRUNCATE TABLE outbox_message_0

-- name: truncate_1
TRUNCATE TABLE outbox_message_1

-- name: append_to_0
UPDATE outbox_generation SET current = 0 WHERE current = 1

-- name: append_to_1
UPDATE outbox_generation SET current = 1 WHERE current = 0
