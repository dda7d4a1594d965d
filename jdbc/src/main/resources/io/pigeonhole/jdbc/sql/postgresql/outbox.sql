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
