-- To read the ledger away from messages.

-- name: bounds
{bounds}

-- name: is_accepted
SELECT EXISTS (SELECT 1 FROM inbox_ledger WHERE consumer_id = :consumer AND message_key = :key)

-- name: contains
SELECT EXISTS (SELECT 1 FROM inbox_ledger WHERE consumer_id = :consumer AND message_key = :key)
    OR EXISTS (SELECT 1 FROM inbox_work WHERE consumer_id = :consumer AND message_key = :key)
    OR EXISTS (SELECT 1 FROM inbox_dead_letter WHERE consumer_id = :consumer AND message_key = :key)
