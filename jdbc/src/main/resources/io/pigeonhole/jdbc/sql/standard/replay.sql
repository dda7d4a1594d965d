-- Runs over the history, and its days.

-- part: entry
h.id, h.message_key, h.attempts, h.with_payload, h.processed_at,
    h.source, h.message_id, h.type, h.ordering_key, h.headers, h.content_type, h.payload, h.origin

-- part: of_plan
h.consumer_id = :consumer AND h.id > :position AND h.id <= :cutoff
    AND (:type IS NULL OR h.type = :type)
    AND (:source IS NULL OR h.source = :source)
    AND (:ordering_key IS NULL OR h.ordering_key = :ordering_key)
    AND h.processed_at >= :since AND h.processed_at < :until

-- part: of_time
h.processed_at >= :since AND h.processed_at < :until

-- part: run
SELECT {consumer},
    r.name, r.since_at, r.until_at, r.type, r.source, r.ordering_key, r.recovery, r.state, r.cutoff, r.position,
    r.total, r.without_payload, r.done, r.skipped, r.error, r.who, r.reason, r.created_at, r.updated_at, r.mark
FROM inbox_replay AS r
JOIN inbox_consumer AS c ON c.id = r.consumer_id

-- name: newest
-- The last place in a consumer's history.
SELECT COALESCE(MAX(id), 0) FROM inbox_history WHERE consumer_id = :consumer

-- name: create
INSERT INTO inbox_replay (name, consumer_id, since_at, until_at, type, source, ordering_key, recovery, state,
    cutoff, mark, position, done, skipped, who, reason, created_at, updated_at)
VALUES (:name, :consumer, :since, :until, :type, :source, :ordering_key, :recovery, 'WAITING',
    :cutoff, :mark, 0, 0, 0, :who, :reason, :now, :now)

-- name: find
{run}
WHERE r.name = :name

-- name: all
{run}
ORDER BY r.created_at, r.name

-- name: lock
SELECT name FROM inbox_replay WHERE name = :name FOR UPDATE SKIP LOCKED

-- name: sizes
-- How many bytes each row of "read" has.
{unlimited}
{sorted}
SELECT OCTET_LENGTH(h.headers) + COALESCE(OCTET_LENGTH(h.payload), 0) + COALESCE(OCTET_LENGTH(h.ordering_key), 0), h.id
FROM inbox_history AS h
WHERE {of_plan} AND h.with_payload
ORDER BY h.id
LIMIT :limit
{end_of_sorted}
{by_id}

-- name: read
-- With whether each is wanted.
{unlimited}
SELECT {entry}, TRUE
FROM inbox_history AS h
WHERE {of_plan} AND h.with_payload
ORDER BY h.id
LIMIT :limit

-- name: count
-- With a payload, without, and the place before the first.
SELECT COALESCE(SUM(CASE WHEN h.with_payload THEN 1 ELSE 0 END), 0),
    COALESCE(SUM(CASE WHEN h.with_payload THEN 0 ELSE 1 END), 0),
    COALESCE(MIN(h.id) - 1, 0)
FROM inbox_history AS h
WHERE {of_plan}

-- name: settle
-- The first count stays.
UPDATE inbox_replay
SET state = 'RUNNING', total = COALESCE(total, :total), without_payload = COALESCE(without_payload, :without_payload),
    position = GREATEST(position, :position), updated_at = :now
WHERE name = :name AND state = 'WAITING'

-- name: move
UPDATE inbox_replay
SET position = :position, done = done + :done, skipped = skipped + :skipped, state = :state, error = :error,
    updated_at = :now
WHERE name = :name AND position = :before AND state = 'RUNNING'

-- name: change
UPDATE inbox_replay
SET state = :state, error = NULL, who = :who, reason = :reason, updated_at = :now
WHERE name = :name AND state = :before

-- name: skip
INSERT INTO inbox_replay_skipped (replay, place, message_key, error) VALUES (:name, :place, :key, :error)

-- name: skipped
{sorted}
SELECT s.place, s.message_key, s.error
FROM inbox_replay_skipped AS s
WHERE s.replay = :name AND s.place > :after
ORDER BY s.place
LIMIT :limit
{end_of_sorted}
{by_place}

-- name: consumers
-- All, in the order of their registration.
SELECT {consumer} FROM inbox_consumer AS c ORDER BY c.id

-- name: sizes_of_day
-- How many bytes each row of "day" has.
{sorted}
SELECT COALESCE(OCTET_LENGTH(h.headers), 0) + COALESCE(OCTET_LENGTH(h.payload), 0) + COALESCE(OCTET_LENGTH(h.ordering_key), 0), h.id
FROM inbox_history AS h
WHERE h.consumer_id = :consumer AND h.id > :after AND {of_time}
ORDER BY h.id
LIMIT :limit
{end_of_sorted}
{by_id}

-- name: day
-- A consumer's history of a time.
SELECT {entry}
FROM inbox_history AS h
WHERE h.consumer_id = :consumer AND h.id > :after AND {of_time}
ORDER BY h.id
LIMIT :limit

-- name: exported
INSERT INTO inbox_export (history_day, entries, exported_at) VALUES (:day, :entries, :now)

-- name: drop_exported
DELETE FROM inbox_export WHERE history_day = :day

-- name: is_exported
-- With how many messages.
SELECT entries FROM inbox_export WHERE history_day = :day

-- name: last_exported
-- NULL where there is none.
SELECT MAX(history_day) FROM inbox_export

-- name: count_of_day
SELECT COUNT(*) FROM inbox_history AS h WHERE {of_time}

-- name: deleted_consumers
-- Those who have messages of a time and are not registered.
SELECT DISTINCT h.consumer_id
FROM inbox_history AS h
WHERE {of_time} AND NOT EXISTS (SELECT 1 FROM inbox_consumer AS c WHERE c.id = h.consumer_id)
ORDER BY 1

-- name: store_id
-- Who this store is.
SELECT id FROM inbox_store

-- name: export_mark
-- Unless it is of a clock that was ahead.
SELECT mark FROM inbox_export_mark WHERE history_day = :day AND marked_at <= :now

-- name: add_export_mark
INSERT INTO inbox_export_mark (history_day, mark, marked_at) VALUES (:day, :mark, :now)

-- name: drop_export_mark
DELETE FROM inbox_export_mark WHERE history_day = :day

-- name: is_needed
-- Whether a run that is not at its end has messages of a time before it: such a day must stay.
SELECT 1
FROM inbox_replay AS r
JOIN inbox_history AS h ON h.consumer_id = r.consumer_id AND h.id > r.position AND h.id <= r.cutoff
WHERE r.state IN ('WAITING', 'RUNNING', 'PAUSED', 'FAILED')
    AND (r.since_at IS NULL OR h.processed_at >= r.since_at)
    AND (r.until_at IS NULL OR h.processed_at < r.until_at)
    AND {of_time}
LIMIT 1

-- name: old
-- A run that ended long ago, of whose messages the history has none any more: under its name none of them can be handed over
-- twice.
SELECT r.name
FROM inbox_replay AS r
WHERE r.state IN ('FINISHED', 'CANCELLED') AND r.updated_at < :before
    AND NOT EXISTS (SELECT 1 FROM inbox_history AS h WHERE h.consumer_id = r.consumer_id AND h.id <= r.cutoff)
ORDER BY r.updated_at, r.name
LIMIT 1

-- name: forget
DELETE FROM inbox_replay WHERE name = :name AND state IN ('FINISHED', 'CANCELLED')

-- name: forget_skipped
DELETE FROM inbox_replay_skipped WHERE replay = :name AND place = :place

-- name: old_exports
-- Days that were exported long ago and are past their time, the oldest first. Never the last one: it says that the store has an
-- archive.
{sorted}
SELECT e.history_day
FROM inbox_export AS e
WHERE e.exported_at < :before AND e.history_day < :day
    AND e.history_day < (SELECT MAX(l.history_day) FROM inbox_export AS l)
ORDER BY e.history_day
LIMIT :limit
{end_of_sorted}
{by_day}

-- name: has_messages
-- A row where the history has messages of a time.
SELECT 1 FROM inbox_history AS h WHERE {of_time} LIMIT 1

-- name: forget_export_marks
-- Of days that nobody exported in the end.
DELETE FROM inbox_export_mark WHERE marked_at < :before AND history_day < :day

-- name: take_history
-- Keeps replays from being made while a day goes; no row is changed where another node is at it. It ends by itself, in case its
-- node dies.
UPDATE inbox_upkeep SET busy_until = :until, place = :hold WHERE task = 'history days' AND busy_until <= :now

-- name: release_history
-- Not where another node is at it by now.
UPDATE inbox_upkeep SET busy_until = :now WHERE task = 'history days' AND place = :hold

-- name: hold_history
-- No row where a day is going; otherwise none goes before this transaction ends.
SELECT 1 FROM inbox_upkeep WHERE task = 'history days' AND busy_until <= :now FOR UPDATE

-- name: add_history
-- Puts back the row that the schema came with; none is inserted where it is there.
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
SELECT 'history days', '', epoch.at, epoch.at, epoch.at, 0, 0
FROM (SELECT TIMESTAMP '1970-01-02 00:00:00' AS at) AS epoch
WHERE NOT EXISTS (SELECT 1 FROM inbox_upkeep WHERE task = 'history days')
