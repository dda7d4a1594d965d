-- About unfinished messages.

-- part: item
-- What is taken.
w.id, w.message_key, w.attempts, w.retried, w.retry_since, w.by_lease, w.lease_token,
    w.source, w.message_id, w.type, w.ordering_key, w.headers, w.content_type, w.payload, w.origin

-- part: bytes
-- How many a message has.
OCTET_LENGTH(w.headers) + COALESCE(OCTET_LENGTH(w.payload), 0) + COALESCE(OCTET_LENGTH(w.ordering_key), 0)

-- name: receive
INSERT INTO inbox_work ({message_columns}, work_partition, ordered, ordering_hash, by_lease, status, attempts, due_at, received_at,
    retry_since, updated_at)
VALUES ({message_values}, :work_partition, :ordered, :ordering_hash, :by_lease, 'received', 0, :now, :now, :now, :now)

-- name: park
INSERT INTO inbox_work ({message_columns}, work_partition, ordered, ordering_hash, by_lease, status, attempts, last_error, due_at,
    received_at, retry_since, updated_at)
VALUES ({message_values}, :work_partition, :ordered, :ordering_hash, FALSE, 'parked', :attempts, :error, :due, :now, :now, :now)

-- name: due_page
{unlimited}
{sorted}
SELECT w.id, w.due_at, {bytes}
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.by_lease = :by_lease AND w.work_partition = :work_partition AND w.ordered = FALSE AND w.status <> 'leased'
    AND w.due_at <= :now AND w.due_at >= :after_at AND (w.due_at > :after_at OR (w.due_at = :after_at AND w.id > :after_id))
ORDER BY w.due_at, w.id
LIMIT :limit
{end_of_sorted}
{by_due_at}

-- name: take
{unlimited}
SELECT {item}
FROM inbox_work AS w {by_primary_key}
WHERE w.id IN (:ids...) AND w.status <> 'leased' AND w.by_lease = :by_lease AND w.due_at <= :now
FOR UPDATE SKIP LOCKED

-- name: lock_due
{unlimited}
SELECT w.id, w.ordering_key
FROM inbox_work AS w {by_primary_key}
WHERE w.id IN (:ids...) AND w.status <> 'leased' AND w.by_lease = :by_lease AND w.due_at <= :now
FOR UPDATE SKIP LOCKED

-- name: retake
{as_listed}
SELECT {item}
FROM inbox_work AS w {by_primary_key}
WHERE w.id IN (:ids...) AND w.consumer_id = :consumer AND w.status <> 'leased'
FOR UPDATE SKIP LOCKED

-- name: keys_of_due
{unlimited}
{sorted}
SELECT w.ordering_key
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.by_lease = :by_lease AND w.work_partition = :work_partition AND w.ordered = TRUE AND w.status <> 'leased'
    AND w.due_at <= :now
ORDER BY w.due_at, w.id
LIMIT :limit
{end_of_sorted}

-- name: due_heads
-- Each page walks all first messages of the work partition.
{unlimited}
{sorted}
SELECT w.id, w.due_at, 0
FROM (
    SELECT MIN(m.id) AS id
    FROM inbox_work AS m
    WHERE m.consumer_id = :consumer AND m.work_partition = :work_partition AND m.ordering_hash IS NOT NULL
    GROUP BY m.ordering_hash
) AS h
JOIN inbox_work AS w ON w.id = h.id
WHERE w.by_lease = :by_lease AND w.status <> 'leased' AND w.due_at <= :now AND w.due_at >= :after_at
    AND (w.due_at > :after_at OR (w.due_at = :after_at AND w.id > :after_id))
    AND NOT EXISTS (
        SELECT 1
        FROM inbox_dead_letter AS d
        WHERE d.consumer_id = w.consumer_id AND d.work_partition = w.work_partition AND d.ordering_hash = w.ordering_hash
            AND d.blocks = TRUE AND d.id < w.id)
ORDER BY w.due_at, w.id
LIMIT :limit
{end_of_sorted}
{by_due_at}

-- name: first_of_keys
-- In one view of both tables: a message that moves from one to the other meanwhile is seen once.
{unlimited}
SELECT d.id, d.ordering_key, FALSE, d.by_lease, d.died_at, 0
FROM inbox_dead_letter AS d
WHERE d.consumer_id = :consumer AND d.work_partition = :work_partition AND d.ordering_hash IN (:hashes...) AND d.blocks = TRUE
UNION ALL
{{(SELECT w.id, w.ordering_key, w.status <> 'leased', w.by_lease, w.due_at,
    {bytes}
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.work_partition = :work_partition AND w.ordering_hash = :hashes...
ORDER BY w.id
LIMIT :limit)}}

-- name: blocked
SELECT DISTINCT w.ordering_key
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.work_partition IN (:work_partitions...) AND w.ordering_hash IN (:hashes...)
UNION
SELECT d.ordering_key
FROM inbox_dead_letter AS d
WHERE d.consumer_id = :consumer AND d.work_partition IN (:work_partitions...) AND d.ordering_hash IN (:hashes...) AND d.blocks = TRUE

-- name: lock
{as_listed}
SELECT w.id, w.lease_token
FROM inbox_work AS w {by_primary_key}
WHERE w.id IN (:ids...) AND w.consumer_id = :consumer
FOR UPDATE

-- name: postpone
UPDATE inbox_work
SET status = 'parked', attempts = :attempts, due_at = :due, last_error = :error, lease_owner = NULL, leased_at = NULL,
    lease_until = NULL, updated_at = :now
WHERE id = :id

-- name: require_lease
UPDATE inbox_work SET by_lease = TRUE, updated_at = :now WHERE id = :id

-- name: lease
UPDATE inbox_work
SET status = 'leased', attempts = :attempts, lease_token = :token, leased_at = :now, lease_until = :until, lease_owner = :owner,
    updated_at = :now
WHERE id = :id

-- name: hold
SELECT w.id
FROM inbox_work AS w
WHERE w.id = :id AND w.consumer_id = :consumer AND w.lease_token = :token AND w.status = 'leased'
FOR UPDATE

-- name: expired_page
{unlimited}
{sorted}
SELECT w.id, w.lease_until, {bytes}
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.status = 'leased' AND w.lease_until <= :now AND w.lease_until >= :after_at
    AND (w.lease_until > :after_at OR (w.lease_until = :after_at AND w.id > :after_id))
ORDER BY w.lease_until, w.id
LIMIT :limit
{end_of_sorted}
{by_lease_until}

-- name: take_expired
{unlimited}
SELECT {item},
    w.lease_owner, w.leased_at, w.lease_until
FROM inbox_work AS w {by_primary_key}
WHERE w.id IN (:ids...) AND w.status = 'leased' AND w.lease_until <= :now
FOR UPDATE SKIP LOCKED

-- name: due
SELECT d.consumer_id, d.kind, d.work_partition, MIN(d.due_at)
FROM (
    SELECT l.consumer_id, CASE WHEN k.by_lease THEN 'BY_LEASE' ELSE 'ORDINARY' END AS kind, l.work_partition, (
        SELECT w.due_at
        FROM inbox_work AS w
        WHERE w.consumer_id = l.consumer_id AND w.by_lease = k.by_lease AND w.work_partition = l.work_partition
            AND w.ordered = k.ordered AND w.status <> 'leased'
        ORDER BY w.due_at, w.id
        LIMIT 1) AS due_at
    FROM inbox_work_partition AS l
    JOIN inbox_consumer AS c ON c.id = l.consumer_id
    CROSS JOIN (
        SELECT FALSE AS by_lease, FALSE AS ordered
        UNION ALL SELECT TRUE, FALSE
        UNION ALL SELECT FALSE, TRUE
        UNION ALL SELECT TRUE, TRUE
    ) AS k
    WHERE l.consumer_id IN (:consumers...) AND l.kind = 'store' AND c.paused = FALSE
    UNION ALL
    SELECT c.id, 'EXPIRING', -1, (
        SELECT w.lease_until
        FROM inbox_work AS w
        WHERE w.consumer_id = c.id AND w.status = 'leased' AND w.lease_until IS NOT NULL
        ORDER BY w.lease_until
        LIMIT 1)
    FROM inbox_consumer AS c
    WHERE c.id IN (:consumers...)
) AS d
GROUP BY d.consumer_id, d.kind, d.work_partition
HAVING MIN(d.due_at) IS NOT NULL
