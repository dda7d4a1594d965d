-- What PostgreSQL says otherwise: see the file of the standard. The type of a parameter that stands alone has to be said, because a
-- program may have its texts sent without one.

-- part: letters
FROM inbox_dead_letter AS m
WHERE m.consumer_id = :consumer
    AND (CAST(:reason AS text) IS NULL OR m.reason = :reason)
    AND (CAST(:type AS text) IS NULL OR m.type = :type)
    AND (CAST(:source AS text) IS NULL OR m.source = :source)
    AND (CAST(:ordering_key AS bytea) IS NULL OR m.ordering_key = :ordering_key)
    AND (CAST(:error AS text) IS NULL OR strpos(lower(m.detail), lower(CAST(:error AS text))) > 0)
    AND m.died_at >= :since AND m.died_at < :until

-- name: work
SELECT {label}, {of_work}
FROM inbox_work AS m
WHERE m.consumer_id = :consumer AND m.id > :after
    AND (CAST(:status AS text) IS NULL OR m.status = :status)
    AND (CAST(:type AS text) IS NULL OR m.type = :type)
    AND (CAST(:source AS text) IS NULL OR m.source = :source)
    AND (CAST(:ordering_key AS bytea) IS NULL OR m.ordering_key = :ordering_key)
    AND (CAST(:error AS text) IS NULL OR strpos(lower(m.last_error), lower(CAST(:error AS text))) > 0)
    AND m.received_at >= :since AND m.received_at < :until
ORDER BY m.id
LIMIT :limit

-- name: blocked_keys
WITH m AS (
    SELECT ordering_key, id, message_key, status, due_at, last_error AS error, 1 AS in_work
    FROM inbox_work
    WHERE consumer_id = :consumer AND ordered
    UNION ALL
    SELECT ordering_key, id, message_key, 'dead', NULL, reason || ': ' || detail, 0
    FROM inbox_dead_letter
    WHERE consumer_id = :consumer AND blocks
), h AS (
    SELECT DISTINCT ON (m.ordering_key) m.*,
        sum(m.in_work) OVER (PARTITION BY m.ordering_key) - m.in_work AS waiting
    FROM m
    ORDER BY m.ordering_key, m.id
)
SELECT h.ordering_key, h.message_key, h.status, h.due_at, h.error, h.waiting
FROM h
WHERE h.status <> 'received' OR h.due_at > :now
ORDER BY h.waiting DESC, h.id
LIMIT :limit

-- name: lock_letters
-- In the order of the keys, so that two of them do not wait for each other.
SELECT id, message_key, claimed, reason
FROM inbox_dead_letter
WHERE consumer_id = :consumer AND id = ANY (CAST(:ids AS bigint[]))
ORDER BY message_key
FOR UPDATE

-- name: head
(SELECT id, message_key, false AS dead FROM inbox_work
 WHERE consumer_id = :consumer AND work_partition = :work_partition AND ordering_key = :ordering_key AND ordered
 ORDER BY id
 LIMIT 1)
UNION ALL
(SELECT id, message_key, true FROM inbox_dead_letter
 WHERE consumer_id = :consumer AND work_partition = :work_partition AND ordering_key = :ordering_key AND blocks
 ORDER BY id
 LIMIT 1)
ORDER BY id
LIMIT 1

-- name: show_history
-- In the part of the history between two instants, which stand in the text so that other days are left out before they are locked.
SELECT m.processed_at, m.with_payload, {message}
FROM inbox_history AS m
WHERE m.processed_at >= '%1$s' AND m.processed_at < '%2$s' AND m.consumer_id = :consumer AND m.message_key = :key
ORDER BY m.processed_at DESC
LIMIT 1
