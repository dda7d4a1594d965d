-- Where PostgreSQL differs from the standard: ledger and history are asked by themselves, a few days at a time.

-- name: history
SELECT 0, COALESCE(MAX(cutoff), 0) FROM inbox_replay

-- name: consumer
SELECT c.id, o.id
FROM (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_consumer) AS c
CROSS JOIN (SELECT COALESCE(MAX(m.id), 0) AS id FROM (
    {of_consumers}
) AS m) AS o
