-- The sequences that give rows their numbers, which only PostgreSQL has; and the largest numbers in days of ledger and history.

-- name: sequence
SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = coalesce(CAST(pg_get_serial_sequence(:table, 'id') AS regclass),
        CASE :table WHEN 'inbox_work' THEN to_regclass('inbox_arrival') WHEN 'outbox_message' THEN to_regclass('outbox_position') END)
    AND has_sequence_privilege(c.oid, 'SELECT')

-- name: next
-- Formatted with: its name.
SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END FROM %s

-- name: wait_shortly
-- For less time than others notice who come to write behind somebody that waits for a lock.
SET LOCAL lock_timeout = '100ms'

-- name: lock
-- Whoever has a number from it has written to the table, not only to one of its days. Formatted with: table.
LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE

-- name: largest_history_between
-- No index of the history begins with the number. Formatted with: from when, until when.
SELECT coalesce(max(l.id), 0)
FROM inbox_consumer AS c
CROSS JOIN LATERAL (
    SELECT h.id FROM inbox_history AS h
    WHERE h.consumer_id = c.id AND h.processed_at >= '%1$s' AND h.processed_at < '%2$s'
    ORDER BY h.id DESC
    LIMIT 1
) AS l

-- name: largest_consumer_of_history_between
-- Formatted with: from when, until when.
SELECT coalesce(max(consumer_id), 0)
FROM inbox_history
WHERE processed_at >= '%1$s' AND processed_at < '%2$s'

-- name: largest_consumer_of_ledger_between
-- Formatted with: the smallest key; where it ends; whether that key is included, as < or <=.
SELECT coalesce(max(consumer_id), 0)
FROM inbox_ledger
WHERE message_key >= '%1$s' AND message_key %3$s '%2$s'
