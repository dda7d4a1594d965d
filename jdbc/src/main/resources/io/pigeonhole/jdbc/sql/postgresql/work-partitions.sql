-- Work partitions and the order in them. Only PostgreSQL has these statements: it locks work partitions by numbers, which are hashes of the store's schema,
-- consumer and work partition; those for storing and those for working are apart.

-- part: parameter
-- What is looked for.
parameter AS MATERIALIZED (
    SELECT (SELECT c.id FROM inbox_consumer AS c WHERE c.id = CAST(:consumer AS smallint) AND NOT c.paused) AS consumer_id,
        CAST(:work_partition AS smallint) AS work_partition, CAST(:by_lease AS boolean) AS by_lease,
        CAST(:limit AS bigint) AS most, CAST(:of_key AS bigint) AS of_key, CAST(:bytes AS bigint) AS room,
        clock_timestamp() AS now
)

-- part: keys_of_due
-- The keys of the messages that are due, the oldest due first, up to a limit; and how many messages that were.
WITH {parameter}, due AS MATERIALIZED (
    SELECT w.ordering_key
    FROM inbox_work AS w
    WHERE w.consumer_id = (SELECT consumer_id FROM parameter) AND w.by_lease = (SELECT by_lease FROM parameter)
        AND w.work_partition = (SELECT work_partition FROM parameter) AND w.ordered AND w.status <> 'leased'
        AND w.due_at <= (SELECT now FROM parameter)
    ORDER BY w.due_at, w.id
    LIMIT (SELECT most FROM parameter)
), candidate AS MATERIALIZED (
    SELECT DISTINCT ordering_key FROM due
), seen AS (
    SELECT count(*) AS messages FROM due
)

-- part: keys_of_heads
-- The same keys found from their heads: from key to key through the index, for work partitions in which very many messages are due behind heads
-- that are not, or that somebody has locked. The heads are walked once, and those that are due are locked one after the other until
-- there are as many as may be taken: what somebody has locked is passed, however much that is. A head that then does not fit beside
-- the messages of other keys stays locked until the transaction ends.
WITH RECURSIVE {parameter}, head AS (
    (SELECT w.ctid AS place, w.ordering_key, w.id, w.status, w.by_lease, w.due_at
     FROM inbox_work AS w
     WHERE w.consumer_id = (SELECT consumer_id FROM parameter) AND w.work_partition = (SELECT work_partition FROM parameter)
         AND w.ordered
     ORDER BY w.ordering_key, w.id
     LIMIT 1)
    UNION ALL
    SELECT n.place, n.ordering_key, n.id, n.status, n.by_lease, n.due_at
    FROM head AS h CROSS JOIN LATERAL (
        SELECT w.ctid AS place, w.ordering_key, w.id, w.status, w.by_lease, w.due_at
        FROM inbox_work AS w
        WHERE w.consumer_id = (SELECT consumer_id FROM parameter) AND w.work_partition = (SELECT work_partition FROM parameter)
            AND w.ordered AND w.ordering_key > h.ordering_key
        ORDER BY w.ordering_key, w.id
        LIMIT 1
    ) AS n
), due_head AS MATERIALIZED (
    SELECT h.place, h.ordering_key
    FROM head AS h
    WHERE h.status <> 'leased' AND h.by_lease = (SELECT by_lease FROM parameter)
        AND h.due_at <= (SELECT now FROM parameter)
        AND (SELECT min(d.id) FROM inbox_dead_letter AS d
             WHERE d.consumer_id = (SELECT consumer_id FROM parameter) AND d.work_partition = (SELECT work_partition FROM parameter)
                 AND d.ordering_key = h.ordering_key AND d.blocks AND d.id < h.id) IS NULL
    ORDER BY h.due_at, h.id
), candidate AS MATERIALIZED (
    SELECT h.ordering_key
    FROM due_head AS h CROSS JOIN LATERAL (
        SELECT w.id
        FROM inbox_work AS w
        WHERE w.ctid = h.place AND w.status <> 'leased' AND w.by_lease = (SELECT by_lease FROM parameter)
            AND w.due_at <= (SELECT clock_timestamp())
        FOR UPDATE SKIP LOCKED
    ) AS l
    LIMIT (SELECT most FROM parameter)
), seen AS (
    SELECT 0 AS messages
)

-- part: runs
-- Of each candidate key the messages from its head on, up to the first that is not ready or behind a dead letter that blocks; and
-- messages without an order of their own, where it ends. A key's share is bounded, so that many keys of many messages do not add up.
, run AS MATERIALIZED (
    SELECT u.*, bool_or(u.ordering_key IS NOT NULL) OVER () AS of_keys
    FROM (
        SELECT r.place, r.id, r.ordering_key, r.bytes
        FROM candidate AS c CROSS JOIN LATERAL (
            SELECT m.place, m.id, c.ordering_key, m.bytes,
                bool_and(m.status <> 'leased' AND m.by_lease = (SELECT by_lease FROM parameter)
                    AND m.due_at <= (SELECT now FROM parameter)) OVER (ORDER BY m.id) AS ready
            FROM (
                SELECT w.ctid AS place, w.id, w.status, w.by_lease, w.due_at,
                    octet_length(w.headers) + coalesce(octet_length(w.payload), 0) AS bytes
                FROM inbox_work AS w
                WHERE w.consumer_id = (SELECT consumer_id FROM parameter) AND w.work_partition = (SELECT work_partition FROM parameter)
                    AND w.ordered AND w.ordering_key = c.ordering_key
                ORDER BY w.id
                LIMIT (SELECT least(of_key, greatest(64, most / greatest(1, (SELECT count(*) FROM candidate))))
                       FROM parameter)
            ) AS m
        ) AS r
        WHERE r.ready
            AND coalesce(r.id < (SELECT d.id FROM inbox_dead_letter AS d
                WHERE d.consumer_id = (SELECT consumer_id FROM parameter) AND d.work_partition = (SELECT work_partition FROM parameter)
                    AND d.ordering_key = r.ordering_key AND d.blocks
                ORDER BY d.id
                LIMIT 1), true)
        UNION ALL
        SELECT f.place, f.id, NULL, f.bytes
        FROM (
            SELECT w.ctid AS place, w.id,
                octet_length(w.headers) + coalesce(octet_length(w.payload), 0) + coalesce(octet_length(w.ordering_key), 0) AS bytes
            FROM inbox_work AS w
            WHERE w.consumer_id = (SELECT consumer_id FROM parameter)
                AND w.by_lease = (SELECT by_lease FROM parameter)
                AND w.work_partition = (SELECT work_partition FROM parameter) AND NOT w.ordered AND w.status <> 'leased'
                AND w.due_at <= (SELECT now FROM parameter)
            ORDER BY w.due_at, w.id
            LIMIT (SELECT most FROM parameter)

-- part: taken
-- They are planned in one view of the tables and locked by their places in it: what somebody else has or had in the meantime comes
-- as planned, but not as taken, and the caller then leaves what is behind it. What does not fit into the bytes is left, from the first
-- such message on. The answer says whether a candidate key has a message that is ready, taken or not.
        ) AS f
    ) AS u
    ORDER BY id
    LIMIT (SELECT most FROM parameter)
), fitting AS MATERIALIZED (
    SELECT s.place, s.id, s.ordering_key, s.of_keys
    FROM (
        SELECT r.*, row_number() OVER (ORDER BY r.id) AS number,
            sum(r.bytes) OVER (ORDER BY r.id ROWS UNBOUNDED PRECEDING) AS total
        FROM run AS r
    ) AS s
    WHERE s.total <= (SELECT room FROM parameter) OR s.number = 1
)
SELECT w.*, r.id AS planned, r.ordering_key AS planned_key, r.of_keys, seen.messages
FROM seen
LEFT JOIN fitting AS r ON true
LEFT JOIN (
    SELECT {work_item}
    FROM inbox_work AS w
    WHERE w.ctid = ANY (ARRAY(SELECT place FROM fitting)) AND w.status <> 'leased'
        AND w.by_lease = (SELECT by_lease FROM parameter) AND w.due_at <= (SELECT clock_timestamp())
    FOR UPDATE SKIP LOCKED
) AS w ON w.id = r.id
ORDER BY r.id

-- name: take_by_due
{keys_of_due}
{runs}
{taken}

-- name: take_by_heads
-- Messages without an order are locked before they are planned: what somebody has locked is then passed and takes no place in the plan.
{keys_of_heads}
{runs}
            FOR UPDATE SKIP LOCKED
{taken}

-- name: enter
SELECT pg_try_advisory_xact_lock(hashtextextended('pigeonhole worker ' || current_schema() || ' ' || :worker, 0))

-- part: lock
-- One after the other, as the array has them. The answer is one row: where a driver fetches a few rows at a time, the server takes no
-- lock of a row that nobody has asked for.
SELECT count(pg_advisory_xact_lock(
    hashtextextended('pigeonhole partition ' || current_schema() || ' ' || :consumer_id || ' ' || u.work_partition, 0)))
FROM (SELECT a.work_partition FROM unnest(CAST(:work_partitions AS integer[])) WITH ORDINALITY AS a (work_partition, place) ORDER BY a.place) AS u

-- name: lock
{lock}

-- name: lock_beside_handlers
SELECT {limits_of_wait};
{lock};
SELECT {handlers_limits}

-- name: blocked
-- One look into an index for each: no plan that reads all work may be chosen.
SELECT u.place
FROM unnest(CAST(:keys AS bytea[]), CAST(:work_partitions AS smallint[])) WITH ORDINALITY AS u (k, work_partition, place)
WHERE coalesce(
    (SELECT true FROM inbox_work AS w
     WHERE w.consumer_id = :consumer AND w.work_partition = u.work_partition AND w.ordering_key = u.k AND w.ordered
     LIMIT 1),
    (SELECT true FROM inbox_dead_letter AS d
     WHERE d.consumer_id = :consumer AND d.work_partition = u.work_partition AND d.ordering_key = u.k AND d.blocks
     LIMIT 1))
