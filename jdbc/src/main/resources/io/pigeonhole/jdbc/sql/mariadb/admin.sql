-- What MariaDB says otherwise: see the file of the standard.

-- name: lock_letters
-- By the primary key: it locks every row that it reads, and may read all of a small table for a list.
{as_listed}
SELECT id, message_key, claimed, reason
FROM inbox_dead_letter FORCE INDEX (PRIMARY)
WHERE consumer_id = :consumer AND id IN (:ids...)
ORDER BY id
FOR UPDATE

-- name: lock_letter
SELECT id, reason, detail, claimed, source, message_id
FROM inbox_dead_letter FORCE INDEX (PRIMARY)
WHERE id = :id AND consumer_id = :consumer AND message_key = :key
FOR UPDATE
