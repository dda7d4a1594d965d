-- Messages in work, as PostgreSQL receives, takes and finishes them.
-- clock_timestamp() is volatile and no condition of an index; (SELECT clock_timestamp()) is one. A row lock is asked for where rows are
-- chosen, below every join and every = ANY, because a plan may otherwise lock and change more rows than the limit says.
-- The token of a lease is its time in microseconds, or more: it grows, and is not given out again where the lease before was not
-- committed, so that a lease can be asked for after a commit whose outcome is unknown.

-- name: receive
INSERT INTO inbox_work (consumer_id, message_key, source, message_id, type, ordering_key, headers, content_type,
    payload, origin, work_partition, ordered, by_lease, status, attempts, due_at, received_at, retry_since, updated_at)
VALUES {(:consumer..., :key..., :source..., :message_id..., :type..., :ordering_key..., :headers..., :content_type..., :payload...,
    :origin..., :work_partition..., :ordered..., :by_lease...,
    'received', 0, clock_timestamp(), clock_timestamp(), clock_timestamp(), clock_timestamp())}

-- name: park
WITH parked AS (
    INSERT INTO inbox_work (consumer_id, message_key, source, message_id, type, ordering_key, headers,
        content_type, payload, origin, work_partition, ordered, by_lease, status, attempts, due_at, last_error,
        received_at, retry_since, updated_at)
    VALUES (:consumer, :key, :source, :message_id, :type, :ordering_key, :headers, :content_type, :payload,
        :origin, :work_partition, :ordered, false, 'parked', :attempts,
        clock_timestamp() + :delay * interval '1 millisecond', :error, clock_timestamp(), clock_timestamp(),
        clock_timestamp())
    RETURNING consumer_id, message_key
)
{add_attempt}
FROM parked, {attempt_values}

-- name: postpone
WITH kept AS (
    UPDATE inbox_work
    SET status = 'parked', attempts = :attempts, due_at = clock_timestamp() + :delay * interval '1 millisecond',
        last_error = :error, lease_owner = NULL, leased_at = NULL, lease_until = NULL, updated_at = clock_timestamp()
    WHERE consumer_id = :consumer AND id = :id AND lease_token = :token
    RETURNING consumer_id, message_key
)
{add_attempt}
FROM kept, {attempt_values}

-- name: wait
UPDATE inbox_work
SET status = 'parked', attempts = :attempts, due_at = clock_timestamp() + :delay * interval '1 millisecond',
    last_error = :error, lease_owner = NULL, leased_at = NULL, lease_until = NULL, updated_at = clock_timestamp()
WHERE consumer_id = :consumer AND id = :id AND lease_token = :token

-- name: finish
-- Rows of one token, by nothing but their ids: the table is empty in one moment and large in the next, and a plan that is made or
-- remembered for an empty one may read every message of the consumer for each id. So the numbers stand in the text, which is
-- planned each time, and the consumer is no condition of an index. Formatted with: ids, token, consumer.
DELETE FROM inbox_work
WHERE id = ANY (CAST('{%s}' AS bigint[])) AND lease_token = %d AND CAST(consumer_id AS integer) = %d

-- name: require_lease
-- In the same way.
UPDATE inbox_work
SET by_lease = true, updated_at = clock_timestamp()
WHERE id = ANY (CAST('{%s}' AS bigint[])) AND lease_token = %d AND CAST(consumer_id AS integer) = %d

-- name: take
-- date_part and not extract, whose numeric costs more than to read the row. Locks up to the limit and answers with those that fit
-- into the bytes, each with the number of those that are locked; what is kept out of line is not read to know its length. No column that a
-- user adds to the table has the names that are added here.
SELECT {work_item}, CAST(date_part('epoch', w.due_at) * 1000000 AS bigint), w.pigeonhole_locked
FROM (
    SELECT l.*, count(*) OVER () AS pigeonhole_locked, row_number() OVER places AS pigeonhole_place,
        sum(octet_length(l.headers) + coalesce(octet_length(l.payload), 0) + coalesce(octet_length(l.ordering_key), 0))
            OVER places AS pigeonhole_bytes
    FROM (
        SELECT *
        FROM inbox_work
        WHERE consumer_id = (SELECT c.id FROM inbox_consumer AS c WHERE c.id = :consumer AND NOT c.paused)
            AND NOT by_lease AND work_partition = :work_partition AND NOT ordered AND status <> 'leased'
            AND due_at >= to_timestamp(0) + :from * interval '1 microsecond'
            AND due_at <= (SELECT clock_timestamp())
        ORDER BY due_at, id
        LIMIT :limit
        FOR UPDATE SKIP LOCKED
    ) AS l
    WINDOW places AS (ORDER BY l.due_at, l.id ROWS UNBOUNDED PRECEDING)
) AS w
WHERE w.pigeonhole_bytes <= :bytes OR w.pigeonhole_place = 1
ORDER BY w.due_at, w.id

-- name: retake
SELECT {work_item}
FROM inbox_work AS w
WHERE consumer_id = :consumer AND id = ANY (CAST(:ids AS bigint[])) AND status <> 'leased'
ORDER BY id
FOR UPDATE SKIP LOCKED

-- name: lease
WITH w AS (
    UPDATE inbox_work
    SET status = 'leased', attempts = attempts + 1,
        lease_token = greatest(lease_token + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)),
        leased_at = clock_timestamp(), lease_until = clock_timestamp() + :duration * interval '1 millisecond',
        lease_owner = :owner, updated_at = clock_timestamp()
    WHERE id = ANY (ARRAY(
        SELECT id FROM inbox_work
        WHERE consumer_id = (SELECT c.id FROM inbox_consumer AS c WHERE c.id = :consumer AND NOT c.paused)
            AND by_lease AND work_partition = :work_partition AND NOT ordered AND status <> 'leased'
            AND due_at <= (SELECT clock_timestamp())
        ORDER BY due_at, id
        LIMIT :limit
        FOR UPDATE SKIP LOCKED))
    RETURNING *
)
SELECT {work_item} FROM w ORDER BY due_at, id

-- name: lease_these
WITH w AS (
    UPDATE inbox_work
    SET status = 'leased', attempts = attempts + 1,
        lease_token = greatest(lease_token + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)),
        leased_at = clock_timestamp(), lease_until = clock_timestamp() + :duration * interval '1 millisecond',
        lease_owner = :owner, updated_at = clock_timestamp()
    WHERE id = ANY (CAST(:ids AS bigint[])) AND consumer_id = :consumer
    RETURNING *
)
SELECT {work_item} FROM w ORDER BY id

-- name: hold
SELECT 1 FROM inbox_work
WHERE consumer_id = :consumer AND id = :id AND lease_token = :token AND status = 'leased'
FOR UPDATE

-- name: take_expired
-- As take does.
SELECT {work_item}, w.lease_owner,
    CAST(extract(epoch FROM clock_timestamp() - greatest(w.lease_until, 'epoch')) * 1000000 AS bigint),
    CAST(extract(epoch FROM greatest(w.lease_until, w.leased_at) - w.leased_at) * 1000000 AS bigint)
FROM (
    SELECT l.*, row_number() OVER places AS pigeonhole_place,
        sum(octet_length(l.headers) + coalesce(octet_length(l.payload), 0) + coalesce(octet_length(l.ordering_key), 0))
            OVER places AS pigeonhole_bytes
    FROM (
        SELECT *
        FROM inbox_work
        WHERE consumer_id = :consumer AND status = 'leased' AND lease_until <= (SELECT clock_timestamp())
        ORDER BY lease_until, id
        LIMIT :limit
        FOR UPDATE SKIP LOCKED
    ) AS l
    WINDOW places AS (ORDER BY l.lease_until, l.id ROWS UNBOUNDED PRECEDING)
) AS w
WHERE w.pigeonhole_bytes <= :bytes OR w.pigeonhole_place = 1
ORDER BY w.lease_until, w.id

-- name: due
-- One look into an index for each consumer, kind and work partition, so that all that waits behind the first costs nothing. Where there is a
-- hint, the look begins there, and what it finds is due now; only where it finds nothing there is one from the beginning. A person may
-- have put a message off until infinity, which no time can be subtracted from.
SELECT c.id, CASE WHEN k.by_lease THEN 'BY_LEASE' ELSE 'ORDINARY' END, l.work_partition,
    min(CAST(greatest(0, extract(epoch FROM
        least(greatest(w.due_at, 'epoch'), clock_timestamp() + interval '365 days') - clock_timestamp())) * 1000000 AS bigint))
FROM inbox_consumer AS c
CROSS JOIN (VALUES (false, false), (true, false), (false, true), (true, true)) AS k (by_lease, ordered)
CROSS JOIN LATERAL unnest(ARRAY(SELECT generate_series(0, c.work_partitions - 1))) AS l (work_partition)
LEFT JOIN unnest(CAST(:hinted_consumers AS smallint[]), CAST(:hinted_work_partitions AS smallint[]), CAST(:hinted_times AS bigint[]))
    AS h (consumer_id, work_partition, due_at)
    ON h.consumer_id = c.id AND h.work_partition = l.work_partition AND NOT k.by_lease AND NOT k.ordered
CROSS JOIN LATERAL (
    (SELECT i.due_at
     FROM inbox_work AS i
     WHERE i.consumer_id = c.id AND i.by_lease = k.by_lease AND i.work_partition = l.work_partition AND i.ordered = k.ordered
         AND i.status <> 'leased' AND i.due_at >= to_timestamp(0) + h.due_at * interval '1 microsecond'
         AND i.due_at <= (SELECT clock_timestamp())
     ORDER BY i.due_at
     LIMIT 1)
    UNION ALL
    (SELECT i.due_at
     FROM inbox_work AS i
     WHERE i.consumer_id = c.id AND i.by_lease = k.by_lease AND i.work_partition = l.work_partition AND i.ordered = k.ordered
         AND i.status <> 'leased'
     ORDER BY i.due_at
     LIMIT 1)
    LIMIT 1
) AS w
WHERE c.id = ANY (CAST((SELECT CAST(:consumers AS smallint[])) AS smallint[])) AND NOT c.paused AND (NOT k.ordered OR c.key_order <> 'NONE')
GROUP BY c.id, k.by_lease, l.work_partition
UNION ALL
SELECT c.id, 'EXPIRING', -1,
    CAST(greatest(0, extract(epoch FROM
        least(greatest(w.lease_until, 'epoch'), clock_timestamp() + interval '365 days') - clock_timestamp())) * 1000000 AS bigint)
FROM inbox_consumer AS c
CROSS JOIN LATERAL (
    SELECT i.lease_until
    FROM inbox_work AS i
    WHERE i.consumer_id = c.id AND i.status = 'leased'
    ORDER BY i.lease_until
    LIMIT 1
) AS w
WHERE c.id = ANY (CAST((SELECT CAST(:consumers AS smallint[])) AS smallint[]))
