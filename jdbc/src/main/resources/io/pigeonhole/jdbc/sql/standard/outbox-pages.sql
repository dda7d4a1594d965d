-- Messages to send, as databases read and delete them that have no better way. Rows are not locked: whoever deletes them has entered the
-- work partition.

-- name: page
-- The positions of the first ones, and their bytes.
{sorted}
SELECT f.position,
    OCTET_LENGTH(f.headers) + COALESCE(OCTET_LENGTH(f.payload), 0) + COALESCE(OCTET_LENGTH(f.ordering_key), 0) AS bytes
FROM outbox_message AS f
JOIN inbox_consumer AS c ON c.id = :consumer AND c.paused = FALSE
WHERE f.destination = :destination AND f.work_partition = :work_partition
ORDER BY f.position
LIMIT :limit
{end_of_sorted}
{by_position}

-- name: read
SELECT m.position, m.destination, m.id, m.type, m.ordering_key, m.headers, m.content_type, m.payload
FROM outbox_message AS m
WHERE m.position IN (:ids...)

-- name: remove
DELETE FROM outbox_message WHERE position = :id

-- name: first_waiting
-- A message that was refused and waits.
{sorted}
SELECT w.id
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.work_partition = :work_partition AND w.ordering_hash IS NOT NULL
ORDER BY w.ordering_hash, w.id
LIMIT 1
{end_of_sorted}

-- name: first_blocking
-- A dead letter that blocks.
{sorted}
SELECT d.id
FROM inbox_dead_letter AS d
WHERE d.consumer_id = :consumer AND d.work_partition = :work_partition AND d.ordering_hash IS NOT NULL AND d.blocks = TRUE
ORDER BY d.ordering_hash, d.id
LIMIT 1
{end_of_sorted}
