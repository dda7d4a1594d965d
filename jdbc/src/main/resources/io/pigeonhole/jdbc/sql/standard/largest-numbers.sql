-- The largest numbers that rows have: in the table whose rows get them, and in other tables. 0 where there is none.

-- name: arrival
SELECT COALESCE((SELECT MAX(id) FROM inbox_work), 0), COALESCE((SELECT MAX(id) FROM inbox_dead_letter), 0)

-- name: attempt
SELECT COALESCE((SELECT MAX(id) FROM inbox_attempt), 0), 0

-- name: audit
SELECT COALESCE((SELECT MAX(id) FROM inbox_audit), 0), 0

-- name: history
SELECT COALESCE((SELECT MAX(id) FROM inbox_history), 0), COALESCE((SELECT MAX(cutoff) FROM inbox_replay), 0)

-- part: of_consumers
COALESCE((SELECT MAX(consumer_id) FROM inbox_watermark), 0),
    COALESCE((SELECT MAX(consumer_id) FROM inbox_work), 0),
    COALESCE((SELECT MAX(consumer_id) FROM inbox_dead_letter), 0),
    COALESCE((SELECT MAX(consumer_id) FROM inbox_attempt), 0),
    COALESCE((SELECT MAX(consumer_id) FROM inbox_start), 0),
    COALESCE((SELECT MAX(consumer_id) FROM inbox_replay), 0)

-- name: consumer
SELECT COALESCE((SELECT MAX(id) FROM inbox_consumer), 0),
    GREATEST({of_consumers},
        COALESCE((SELECT MAX(consumer_id) FROM inbox_work_partition), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_ledger), 0),
        COALESCE((SELECT MAX(consumer_id) FROM inbox_history), 0))
