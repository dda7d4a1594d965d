-- To read the ledger away from messages.

-- name: bounds
{bounds}

-- name: is_accepted
-- A row where it is.
SELECT 1 FROM inbox_ledger WHERE consumer_id = :consumer AND message_key = :key

-- name: contains
-- One row at least where it is.
SELECT 1 FROM inbox_ledger WHERE consumer_id = :consumer AND message_key = :key
UNION ALL
SELECT 1 FROM inbox_work WHERE consumer_id = :consumer AND message_key = :key
UNION ALL
SELECT 1 FROM inbox_dead_letter WHERE consumer_id = :consumer AND message_key = :key
