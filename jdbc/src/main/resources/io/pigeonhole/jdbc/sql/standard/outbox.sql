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

-- name: with_appended
-- In the order of the index, by which alone no deleted rows of others are read over.
{{(SELECT f.work_partition
FROM outbox_message AS f
WHERE f.destination = :destination AND f.work_partition = :work_partitions...
ORDER BY f.position
LIMIT 1)}}
