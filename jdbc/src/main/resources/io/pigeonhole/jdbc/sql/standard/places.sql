-- Places in the order of arrival, which are ids of work and of dead letters. They are taken by rows of no consumer, which are deleted
-- again in the same transaction.

-- part: columns
consumer_id, message_key, work_partition, ordered, by_lease, status, attempts, source, headers, due_at, received_at, retry_since, updated_at

-- part: values
0, :key, 0, FALSE, FALSE, 'parked', 0, '', :headers, :now, :now, :now, :now

-- name: take_next
INSERT INTO inbox_work ({columns}) VALUES ({values})

-- name: take
INSERT INTO inbox_work (id, {columns}) VALUES (:id, {values})

-- name: behind_all
SELECT GREATEST(w.id, d.id) + 1
FROM (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_work) AS w
CROSS JOIN (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_dead_letter) AS d
