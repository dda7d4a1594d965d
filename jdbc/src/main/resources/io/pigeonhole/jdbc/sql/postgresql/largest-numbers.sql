-- Where PostgreSQL differs from the standard: ledger and history are asked by themselves, a few days at a time.

-- name: outbox
-- From one destination and work partition to the next, as the index has it: no index begins with the position.
WITH RECURSIVE places AS (
    (SELECT m.destination, m.work_partition FROM outbox_message AS m ORDER BY m.destination, m.work_partition LIMIT 1)
    UNION ALL
    SELECT n.destination, n.work_partition
    FROM places AS p
    CROSS JOIN LATERAL (
        SELECT m.destination, m.work_partition
        FROM outbox_message AS m
        WHERE (m.destination, m.work_partition) > (p.destination, p.work_partition)
        ORDER BY m.destination, m.work_partition
        LIMIT 1
    ) AS n
)
SELECT COALESCE(MAX(l.position), 0), 0
FROM places AS p
CROSS JOIN LATERAL (
    SELECT m.position
    FROM outbox_message AS m
    WHERE m.destination = p.destination AND m.work_partition = p.work_partition
    ORDER BY m.position DESC
    LIMIT 1
) AS l

-- name: history
SELECT 0, COALESCE(MAX(cutoff), 0) FROM inbox_replay

-- name: consumer
SELECT c.id, o.id
FROM (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_consumer) AS c
CROSS JOIN (SELECT COALESCE(MAX(m.id), 0) AS id FROM (
    {of_consumers}
) AS m) AS o
