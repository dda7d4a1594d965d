-- About dead letters.

-- name: add
INSERT INTO inbox_dead_letter (id, {message_columns}, work_partition, ordered, ordering_hash, by_lease, blocks, reason, detail, claimed,
    attempts, received_at, died_at)
VALUES (:place, {message_values}, :work_partition, :ordered, :ordering_hash, FALSE, :blocks, :reason, :detail, :claimed, :attempts, :now,
    :now)

-- name: copy_from_work
INSERT INTO inbox_dead_letter (id, {message_columns}, work_partition, ordered, ordering_hash, by_lease, lease_token, received_at, blocks,
    reason, detail, claimed, attempts, died_at)
SELECT :place, w.consumer_id, w.message_key, w.source, w.message_id, w.type, w.ordering_key, w.headers,
    w.content_type, w.payload, w.origin, w.work_partition, w.ordered, w.ordering_hash, w.by_lease, w.lease_token,
    w.received_at, :blocks, :reason, :detail, :claimed, :attempts, :now
FROM inbox_work AS w
WHERE w.id = :id

-- name: seen_again
UPDATE inbox_dead_letter SET seen_again = seen_again + 1 WHERE id = :id

-- name: not_seen
UPDATE inbox_dead_letter SET seen_again = seen_again - 1
WHERE id = :place AND NOT (consumer_id = :consumer AND message_key = :key)

-- name: is_taken
SELECT id FROM inbox_dead_letter WHERE id = :place AND NOT (consumer_id = :consumer AND message_key = :key)

-- name: recount
UPDATE inbox_dead_letter SET seen_again = :seen_again WHERE id = :place

-- name: ids
SELECT d.id FROM inbox_dead_letter AS d WHERE d.consumer_id = :consumer AND d.message_key IN (:keys...)

-- name: lock
-- Never by the keys: MariaDB would lock the entry of the key as well, for which others wait who dead-letter the message of the key
-- before it. In the order of the ids, so that two of them do not wait for each other.
{as_listed}
SELECT d.id, d.message_key, d.claimed, d.seen_again, d.reason
FROM inbox_dead_letter AS d {by_primary_key}
WHERE d.id IN (:ids...) AND d.consumer_id = :consumer
ORDER BY d.id
FOR UPDATE

-- name: is_in_work
SELECT id FROM inbox_work WHERE id = :place
