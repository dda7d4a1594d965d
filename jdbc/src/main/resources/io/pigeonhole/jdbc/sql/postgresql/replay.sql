-- Where PostgreSQL does more about runs over the history than the standard.

-- part: of_plan
h.consumer_id = :consumer AND h.id > :position AND h.id <= :cutoff
    AND (CAST(:type AS text) IS NULL OR h.type = :type)
    AND (CAST(:source AS text) IS NULL OR h.source = :source)
    AND (CAST(:ordering_key AS bytea) IS NULL OR h.ordering_key = :ordering_key)
    AND h.processed_at >= :since AND h.processed_at < :until

-- part: scanned
-- As many rows of the history as are asked for, and whether each is wanted. Filters that took part in the search would make the
-- planner expect so few rows that it sorted all that is left, for each batch anew.
FROM (
    SELECT CAST(:consumer AS smallint) AS consumer_id, CAST(:position AS bigint) AS position,
        CAST(:cutoff AS bigint) AS cutoff, CAST(:type AS text) AS type, CAST(:source AS text) AS source,
        CAST(:ordering_key AS bytea) AS ordering_key, CAST(:since AS timestamptz) AS since,
        CAST(:until AS timestamptz) AS until
) AS p
CROSS JOIN LATERAL (
    SELECT i.*, coalesce(i.id <= p.cutoff AND i.with_payload
        AND (p.type IS NULL OR i.type = p.type)
        AND (p.source IS NULL OR i.source = p.source)
        AND (p.ordering_key IS NULL OR i.ordering_key = p.ordering_key)
        AND i.processed_at >= p.since AND i.processed_at < p.until, false) AS pigeonhole_wanted
    FROM inbox_history AS i
    WHERE i.consumer_id = p.consumer_id AND i.id > p.position
    ORDER BY i.id
    LIMIT :limit
) AS h
ORDER BY h.id

-- name: sizes
SELECT coalesce(octet_length(h.ordering_key), 0)
    + CASE WHEN h.pigeonhole_wanted THEN octet_length(h.headers) + coalesce(octet_length(h.payload), 0) ELSE 0 END
{scanned}

-- name: read
-- With headers and payload where they are wanted.
SELECT h.id, h.message_key, h.attempts, h.with_payload, h.processed_at,
    h.source, h.message_id, h.type, h.ordering_key, CASE WHEN h.pigeonhole_wanted THEN h.headers END, h.content_type,
    CASE WHEN h.pigeonhole_wanted THEN h.payload END, h.origin,
    h.pigeonhole_wanted
{scanned}

-- name: add_history
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
VALUES ('history days', '', 'epoch', 'epoch', 'epoch', 0, 0)
ON CONFLICT (task) DO NOTHING
