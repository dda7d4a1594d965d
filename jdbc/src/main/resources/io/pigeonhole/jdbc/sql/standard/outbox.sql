-- About messages to send.

-- part: append
INSERT INTO outbox_message (destination, work_partition, id, ordering_key, type, headers, content_type, payload)
VALUES (:destination, :work_partition, :id, :ordering_key, :type, :headers, :content_type, :payload)

-- name: append
{append}

-- name: append_in_order
-- Only PostgreSQL waits in the insert itself; others execute lock_order first.
{append}

-- name: lock_order
-- Before append: locks a row that stands for the key.
UPDATE outbox_order SET bucket = bucket WHERE bucket = :bucket

-- name: appended
-- Those that fit into the bytes, and one at least. Rows are not locked: whoever deletes them has entered the work partition.
SELECT m.position, m.destination, m.id, m.type, m.ordering_key, m.headers, m.content_type, m.payload
FROM (
    SELECT l.position, ROW_NUMBER() OVER (ORDER BY l.position) AS place,
        SUM(l.bytes) OVER (ORDER BY l.position ROWS UNBOUNDED PRECEDING) AS total
    FROM (
        SELECT f.position,
            OCTET_LENGTH(f.headers) + COALESCE(OCTET_LENGTH(f.payload), 0) + COALESCE(OCTET_LENGTH(f.ordering_key), 0) AS bytes
        FROM outbox_message AS f
        WHERE f.destination = :destination AND f.work_partition = :work_partition
            AND EXISTS (SELECT 1 FROM inbox_consumer AS c WHERE c.id = :consumer AND c.paused = FALSE)
        ORDER BY f.position
        LIMIT :limit
    ) AS l
) AS p
JOIN outbox_message AS m ON m.position = p.position
WHERE p.total <= :bytes OR p.place = 1
ORDER BY m.position

-- name: remove_appended
DELETE FROM outbox_message WHERE position = :id

-- name: with_appended
{{(SELECT f.work_partition
FROM outbox_message AS f
WHERE f.destination = :destination AND f.work_partition = :work_partitions...
LIMIT 1)}}
