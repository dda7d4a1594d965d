-- Where MariaDB differs from the standard.

-- name: keys_of_due
-- The derived table has no column that is too large for memory.
{unlimited}
SELECT k.ordering_key
FROM (
    SELECT w.id
    FROM inbox_work AS w
    WHERE w.consumer_id = :consumer AND w.by_lease = :by_lease AND w.work_partition = :work_partition AND w.ordered = TRUE
        AND w.status <> 'leased' AND w.due_at <= :now
    ORDER BY w.due_at, w.id
    LIMIT :limit
) AS sorted
JOIN inbox_work AS k ON k.id = sorted.id
