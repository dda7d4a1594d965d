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
