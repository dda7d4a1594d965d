-- The two tables of messages to send, which are used in turns.

-- name: tables
-- Which one is appended to, and how many bytes each has on disk, with what is kept out of line.
SELECT g.current, pg_table_size('outbox_message_0'), pg_table_size('outbox_message_1') FROM outbox_generation AS g

-- name: first_messages_0
-- More than can be moved, if there are more.
SELECT 1 FROM outbox_message_0 LIMIT :limit

-- name: first_messages_1
SELECT 1 FROM outbox_message_1 LIMIT :limit

-- name: replicated
-- Whether somebody reads what is inserted from the log, who would take what is copied for new. One row where it is so.
SELECT 1
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_publication_tables AS p ON p.schemaname = n.nspname
WHERE c.oid = to_regclass('outbox_message') AND p.tablename IN ('outbox_message', 'outbox_message_0', 'outbox_message_1')
LIMIT 1

-- name: move_from_0
-- With their positions.
INSERT INTO outbox_message_1 (position, generation, destination, work_partition, id, ordering_key, type, headers, content_type, payload,
    created_at)
SELECT m.position, 1, m.destination, m.work_partition, m.id, m.ordering_key, m.type, m.headers, m.content_type, m.payload, m.created_at
FROM outbox_message_0 AS m

-- name: move_from_1
INSERT INTO outbox_message_0 (position, generation, destination, work_partition, id, ordering_key, type, headers, content_type, payload,
    created_at)
SELECT m.position, 0, m.destination, m.work_partition, m.id, m.ordering_key, m.type, m.headers, m.content_type, m.payload, m.created_at
FROM outbox_message_1 AS m

-- name: lock_0
-- Those who read it wait behind this, so that it gives up soon.
SET LOCAL lock_timeout = 200;
LOCK TABLE outbox_message_0 IN ACCESS EXCLUSIVE MODE

-- name: lock_1
SET LOCAL lock_timeout = 200;
LOCK TABLE outbox_message_1 IN ACCESS EXCLUSIVE MODE

-- name: truncate_0
TRUNCATE TABLE outbox_message_0

-- name: truncate_1
TRUNCATE TABLE outbox_message_1

-- name: append_to_0
UPDATE outbox_generation SET current = 0 WHERE current = 1

-- name: append_to_1
UPDATE outbox_generation SET current = 1 WHERE current = 0

-- name: appended
-- In the order of both tables, with numbers that say which table a row is in: should positions begin anew, both may have the same ones.
-- What is kept out of line is not read to know its length. Planned each time: the tables are empty in one moment and large in the next.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);
SELECT m.position * 2 + m.generation, m.destination, m.id, m.type, m.ordering_key, m.headers, m.content_type, m.payload,
    EXISTS (
        SELECT FROM inbox_work AS w
        WHERE w.consumer_id = :consumer AND w.work_partition = :work_partition AND w.ordered
    ) OR EXISTS (
        SELECT FROM inbox_dead_letter AS d
        WHERE d.consumer_id = :consumer AND d.work_partition = :work_partition AND d.blocks
    )
FROM (
    SELECT l.*, row_number() OVER places AS place,
        sum(octet_length(l.headers) + coalesce(octet_length(l.payload), 0) + coalesce(octet_length(l.ordering_key), 0))
            OVER places AS total
    FROM (
        SELECT *
        FROM outbox_message AS f
        WHERE f.destination = :destination AND f.work_partition = :work_partition
            AND EXISTS (SELECT FROM inbox_consumer AS c WHERE c.id = :consumer AND NOT c.paused)
        ORDER BY f.position, f.generation
        LIMIT :limit
    ) AS l
    WINDOW places AS (ORDER BY l.position, l.generation ROWS UNBOUNDED PRECEDING)
) AS m
WHERE m.total <= :bytes OR m.place = 1
ORDER BY m.position, m.generation;
SELECT set_config('plan_cache_mode', 'auto', true)

-- name: remove
-- By the key, whatever the planner thinks of a table that is empty in one moment and large in the next.
DELETE FROM outbox_message
WHERE destination = :destination AND work_partition = :work_partition
    AND position = ANY (ARRAY(SELECT i / 2 FROM unnest(CAST(:ids AS bigint[])) AS i))
    AND position * 2 + generation = ANY (CAST(:ids AS bigint[]))
