-- Messages go between work and dead letters where a statement cannot do so as a whole.

-- name: requeue
-- Copies a letter that is locked to a place in work, its own unless another message has that.
INSERT INTO inbox_work (id, {message_columns}, work_partition, ordered, ordering_hash, by_lease, status, attempts, retried,
    lease_token, received_at, due_at, retry_since, updated_at)
SELECT :place, d.consumer_id, d.message_key, d.source, d.message_id, d.type, d.ordering_key, d.headers,
    d.content_type, d.payload, d.origin, d.work_partition, d.ordered, d.ordering_hash, d.by_lease, 'received', d.attempts,
    d.attempts, d.lease_token, d.received_at, :due, :now, :now
FROM inbox_dead_letter AS d
WHERE d.id = :id

-- name: in_work_again
-- Whether the message of a letter is in work as well.
SELECT COUNT(*)
FROM inbox_dead_letter AS d JOIN inbox_work AS w
    ON w.consumer_id = d.consumer_id AND w.message_key = d.message_key
WHERE d.id = :id

-- name: skip
-- Copies a message in work to a place among the dead letters, where it blocks nothing.
INSERT INTO inbox_dead_letter (id, consumer_id, message_key, source, message_id, type, ordering_key, ordering_hash, headers,
    content_type, payload, origin, work_partition, ordered, by_lease, blocks, reason, detail, claimed, attempts, seen_again,
    lease_token, received_at, died_at)
SELECT :place, consumer_id, message_key, source, message_id, type, ordering_key, ordering_hash, headers,
    content_type, payload, origin, work_partition, ordered, by_lease, FALSE, 'SKIPPED', :detail, TRUE, attempts, 0,
    lease_token, received_at, :now
FROM inbox_work
WHERE id = :id

-- name: add_work_partition
-- A row that is locked where others lock a work partition.
INSERT INTO inbox_work_partition (consumer_id, kind, work_partition) VALUES (:consumer, :kind, :work_partition)

-- name: work_partitions
-- The rows that a consumer has of these.
SELECT kind, work_partition FROM inbox_work_partition WHERE consumer_id = :consumer
