-- Where PostgreSQL differs from the standard: ledger and history are asked by themselves, a few days at a time.

-- name: history
SELECT 0, COALESCE((SELECT MAX(cutoff) FROM inbox_replay), 0)

-- name: consumer
SELECT COALESCE((SELECT MAX(id) FROM inbox_consumer), 0), GREATEST({of_consumers})
