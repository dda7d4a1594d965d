-- Messages to send on PostgreSQL, in two tables that are used in turns.

-- name: append
INSERT INTO outbox_message (generation, destination, work_partition, id, ordering_key, type, headers, content_type, payload)
VALUES ((SELECT g.current FROM outbox_generation AS g), :destination, :work_partition, CAST(:id AS uuid), :ordering_key, :type, :headers,
    :content_type, :payload)

-- name: append_in_order
-- The lock comes first: whoever waits for it has a position behind those that it waited for.
INSERT INTO outbox_message (position, generation, destination, work_partition, id, ordering_key, type, headers, content_type, payload)
SELECT nextval('outbox_position'), (SELECT g.current FROM outbox_generation AS g), :destination, CAST(:work_partition AS smallint),
    CAST(:id AS uuid), CAST(:ordering_key AS bytea), CAST(:type AS text), CAST(:headers AS bytea), CAST(:content_type AS text),
    CAST(:payload AS bytea)
FROM (SELECT pg_advisory_xact_lock(CAST(:lock AS bigint)) OFFSET 0) AS l

-- name: appended
-- In the order of both tables. What is kept out of line is not read to know its length. Planned each time: the tables are empty in one
-- moment and large in the next.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);
SELECT m.position, m.destination, m.id, m.type, m.ordering_key, m.headers, m.content_type, m.payload
FROM (
    SELECT l.*, row_number() OVER places AS place,
        sum(octet_length(l.headers) + coalesce(octet_length(l.payload), 0) + coalesce(octet_length(l.ordering_key), 0))
            OVER places AS total
    FROM (
        SELECT *
        FROM outbox_message AS f
        WHERE f.destination = :destination AND f.work_partition = :work_partition
            AND EXISTS (SELECT FROM inbox_consumer AS c WHERE c.id = :consumer AND NOT c.paused)
        ORDER BY f.position
        LIMIT :limit
    ) AS l
    WINDOW places AS (ORDER BY l.position ROWS UNBOUNDED PRECEDING)
) AS m
WHERE m.total <= :bytes OR m.place = 1
ORDER BY m.position

-- name: remove_appended
-- By the key, whatever the planner thinks of a table that is empty in one moment and large in the next.
DELETE FROM outbox_message
WHERE destination = :destination AND work_partition = :work_partition AND position = ANY (CAST(:ids AS bigint[]))
