-- Where MariaDB differs from the standard: it may answer a question in a condition with no where the statement is cancelled.

-- name: old
SELECT * FROM (
    SELECT r.name
    FROM inbox_replay AS r
    LEFT JOIN inbox_history AS h ON h.consumer_id = r.consumer_id AND h.id <= r.cutoff
    WHERE r.state IN ('FINISHED', 'CANCELLED') AND r.updated_at < :before AND h.id IS NULL
    ORDER BY r.updated_at, r.name
    LIMIT 1
) AS sorted

-- name: deleted_consumers
SELECT DISTINCT h.consumer_id
FROM inbox_history AS h
LEFT JOIN inbox_consumer AS c ON c.id = h.consumer_id
WHERE {of_time} AND c.id IS NULL
ORDER BY 1
