-- Watermarks, as PostgreSQL reads and advances them with arrays.

-- name: find
-- The transaction gets its number here, as others do by their claims: it must have it before its first row of the history has one, or
-- whoever waits for all that had begun before a moment would not see it.
SELECT c.paused, w.source, w.partition_number, w.topic_identity, w.epoch, w.position, w.leader_epoch
FROM inbox_consumer AS c
LEFT JOIN (
    unnest(CAST(:sources AS text[]), CAST(:numbers AS integer[])) AS u (source, number)
    JOIN inbox_watermark AS w ON w.source = u.source AND w.partition_number = u.number
) ON w.consumer_id = c.id
WHERE c.id = :consumer AND pg_current_xact_id() IS NOT NULL

-- name: advance
-- Formatted with: what is no number and says that a watermark has moved.
WITH a AS (
    UPDATE inbox_watermark AS w
    SET position = u.next, leader_epoch = u.leader, updated_at = clock_timestamp()
    FROM unnest(CAST(:sources AS text[]), CAST(:numbers AS integer[]), CAST(:assignments AS bigint[]), CAST(:before AS bigint[]),
        CAST(:next AS bigint[]), CAST(:leaders AS integer[])) AS u (source, number, epoch, before, next, leader)
    WHERE w.consumer_id = :consumer AND w.source = u.source AND w.partition_number = u.number
        AND w.epoch = u.epoch AND w.position = u.before
    RETURNING w.position
)
SELECT {proof}
    WHEN count(*) <> :count THEN CAST(CAST('%s ' || count(*) AS integer) AS text) END,
    {before_commit}
FROM a;
COMMIT
