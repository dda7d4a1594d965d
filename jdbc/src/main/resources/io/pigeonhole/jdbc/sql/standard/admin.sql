-- The statements by which people look at messages and change them. A change locks its row first, and is then about the row as it
-- is locked.

-- part: label
m.id, m.message_key, m.source, m.message_id, m.type, m.ordering_key, m.origin, COALESCE(OCTET_LENGTH(m.payload), -1)

-- part: of_work
m.status, m.attempts, m.due_at, m.lease_owner, m.lease_until, m.received_at, m.last_error

-- part: of_letter
m.reason, m.detail, m.claimed, m.blocks, m.attempts, m.seen_again, m.received_at, m.died_at

-- part: message
m.source, m.message_id, m.type, m.ordering_key, m.headers, m.content_type, m.payload, m.origin

-- part: letters
FROM inbox_dead_letter AS m
WHERE m.consumer_id = :consumer
    AND (:reason IS NULL OR m.reason = :reason)
    AND (:type IS NULL OR m.type = :type)
    AND (:source IS NULL OR m.source = :source)
    AND (:ordering_key IS NULL OR m.ordering_key = :ordering_key)
    AND (:error IS NULL OR LOCATE(LOWER(:error), LOWER(m.detail)) > 0)
    AND m.died_at >= :since AND m.died_at < :until

-- name: all_consumers
SELECT {consumer}
FROM inbox_consumer AS c
ORDER BY c.name

-- name: consumer
SELECT {consumer}
FROM inbox_consumer AS c
WHERE c.name = :name

-- name: summaries
-- How each consumer is doing.
SELECT {consumer}, c.paused,
    COALESCE(w.received, 0), COALESCE(w.parked, 0), COALESCE(w.leased, 0),
    COALESCE(d.dead, 0), COALESCE(d.blocking, 0), w.oldest
FROM inbox_consumer AS c
LEFT JOIN (
    SELECT consumer_id, COUNT(CASE WHEN status = 'received' THEN 1 END) AS received,
        COUNT(CASE WHEN status = 'parked' THEN 1 END) AS parked,
        COUNT(CASE WHEN status = 'leased' THEN 1 END) AS leased,
        MIN(CASE WHEN status <> 'leased' THEN due_at END) AS oldest
    FROM inbox_work
    GROUP BY consumer_id
) AS w ON w.consumer_id = c.id
LEFT JOIN (
    SELECT consumer_id, COUNT(*) AS dead, COUNT(CASE WHEN blocks THEN 1 END) AS blocking
    FROM inbox_dead_letter
    GROUP BY consumer_id
) AS d ON d.consumer_id = c.id
ORDER BY c.name

-- name: work
-- In the order of arrival.
{sorted}
SELECT {label}, {of_work}
FROM inbox_work AS m
WHERE m.consumer_id = :consumer
    AND (:status IS NULL OR m.status = :status)
    AND (:type IS NULL OR m.type = :type)
    AND (:source IS NULL OR m.source = :source)
    AND (:ordering_key IS NULL OR m.ordering_key = :ordering_key)
    AND (:error IS NULL OR LOCATE(LOWER(:error), LOWER(m.last_error)) > 0)
    AND m.received_at >= :since AND m.received_at < :until
    AND m.id > :after
ORDER BY m.id
LIMIT :limit
{end_of_sorted}
{by_id}

-- name: dead_letters
-- The last first.
{sorted}
SELECT {label}, {of_letter}
{letters}
    AND m.died_at <= :before_at AND (m.died_at < :before_at OR m.id < :before_id)
ORDER BY m.died_at DESC, m.id DESC
LIMIT :limit
{end_of_sorted}
{by_died_at_desc}

-- name: count_letters
-- How many there are until a cutoff.
SELECT COUNT(*)
{letters}
    AND m.died_at <= :cutoff

-- name: part
-- Some of them, the oldest first.
{sorted}
SELECT m.id, m.message_key, m.work_partition, m.ordered, m.died_at
{letters}
    AND m.died_at <= :cutoff
    AND m.died_at >= :after_at AND (m.died_at > :after_at OR m.id > :after_id)
ORDER BY m.died_at, m.id
LIMIT :limit
{end_of_sorted}
{by_died_at}

-- name: one_letter
-- With the same columns as a part.
SELECT m.id, m.message_key, m.work_partition, m.ordered, m.died_at
FROM inbox_dead_letter AS m
WHERE m.consumer_id = :consumer AND m.message_key = :key

-- name: show_work
SELECT {label}, {of_work}, {message}
FROM inbox_work AS m
WHERE m.consumer_id = :consumer AND m.message_key = :key

-- name: show_letter
SELECT {label}, {of_letter}, {message}
FROM inbox_dead_letter AS m
WHERE m.consumer_id = :consumer AND m.message_key = :key

-- name: show_history
-- The last time.
{sorted}
SELECT m.processed_at, m.with_payload, {message}
FROM inbox_history AS m
WHERE m.consumer_id = :consumer AND m.message_key = :key
ORDER BY m.processed_at DESC
LIMIT 1
{end_of_sorted}

-- name: show_accepted
-- When the ledger took it.
SELECT accepted_at FROM inbox_ledger WHERE consumer_id = :consumer AND message_key = :key

-- name: show_attempts
-- The latest, in order.
SELECT a.started_at, a.number, a.node, a.duration_ms, a.error_class, a.message, a.stack
FROM (
    SELECT * FROM inbox_attempt WHERE consumer_id = :consumer AND message_key = :key
    ORDER BY number DESC, id DESC
    LIMIT :limit
) AS a
ORDER BY a.number, a.id

-- part: audit_entry
SELECT a.id, a.at, a.who, a.reason, a.action, a.consumer, a.message_key, a.detail, a.affected
FROM inbox_audit AS a

-- name: audit
-- The last first.
{sorted}
{audit_entry}
WHERE a.consumer = :name AND a.id < :before
ORDER BY a.id DESC
LIMIT :limit
{end_of_sorted}
{by_id_desc}

-- name: audit_of_message
-- The last first.
{sorted}
{audit_entry}
WHERE a.consumer = :name AND a.message_key = :key
ORDER BY a.id DESC
LIMIT :limit
{end_of_sorted}
{by_id_desc}

-- name: blocked_keys
-- Of each key the first of its messages in work and dead letters that block. One that has not failed, is due and has no lease
-- blocks nothing: it only waits for a worker.
{sorted}
WITH m AS (
    SELECT ordering_hash, id, message_key, status, due_at, last_error AS error, 1 AS in_work
    FROM inbox_work
    WHERE consumer_id = :consumer AND ordered
    UNION ALL
    SELECT ordering_hash, id, message_key, 'dead', NULL, CONCAT(reason, ': ', detail), 0
    FROM inbox_dead_letter
    WHERE consumer_id = :consumer AND blocks
), h AS (
    SELECT m.id, m.message_key, m.status, m.due_at, m.error,
        ROW_NUMBER() OVER (PARTITION BY m.ordering_hash ORDER BY m.id) AS place,
        SUM(m.in_work) OVER (PARTITION BY m.ordering_hash) - m.in_work AS waiting
    FROM m
)
SELECT COALESCE(w.ordering_key, d.ordering_key), h.message_key, h.status, h.due_at, h.error, h.waiting, h.id
FROM h
LEFT JOIN inbox_work AS w ON w.id = h.id
LEFT JOIN inbox_dead_letter AS d ON d.id = h.id
WHERE h.place = 1 AND (h.status <> 'received' OR h.due_at > :now)
ORDER BY h.waiting DESC, h.id
LIMIT :limit
{end_of_sorted}
{by_waiting}

-- name: lock_work
-- With what its change depends on.
SELECT id, status, due_at, lease_owner, attempts, source, message_id, last_error, leased_at
FROM inbox_work
WHERE consumer_id = :consumer AND message_key = :key
FOR UPDATE

-- name: lock_letter
-- With what the audit says of it. By its id, as the engine locks letters: MariaDB would lock the entry of the key before the row
-- otherwise, and two that meet would be in a deadlock.
SELECT id, reason, detail, claimed, source, message_id
FROM inbox_dead_letter {by_primary_key}
WHERE id = :id AND consumer_id = :consumer AND message_key = :key
FOR UPDATE

-- name: lock_letters
-- Those that are still there.
{as_listed}
SELECT id, message_key, claimed, reason
FROM inbox_dead_letter {by_primary_key}
WHERE consumer_id = :consumer AND id IN (:ids...)
ORDER BY id
FOR UPDATE

-- name: retry_now
UPDATE inbox_work SET due_at = :now, updated_at = :now WHERE id = :id

-- name: release_lease
-- Parks it, due, with a newer token.
UPDATE inbox_work
SET status = 'parked', due_at = :now, lease_token = lease_token + 1, lease_owner = NULL, leased_at = NULL,
    lease_until = NULL, last_error = :error, updated_at = :now
WHERE id = :id AND status = 'leased'

-- name: head
-- The first of a key's messages in work and dead letters that block.
(SELECT id, message_key, FALSE AS dead FROM inbox_work
 WHERE consumer_id = :consumer AND work_partition = :work_partition AND ordering_hash = :ordering_hash AND ordering_key = :ordering_key
     AND ordered
 ORDER BY id
 LIMIT 1)
UNION ALL
(SELECT id, message_key, TRUE FROM inbox_dead_letter
 WHERE consumer_id = :consumer AND work_partition = :work_partition AND ordering_hash = :ordering_hash AND ordering_key = :ordering_key
     AND blocks
 ORDER BY id
 LIMIT 1)
ORDER BY id
LIMIT 1

-- name: stop_blocking
-- Lets those behind it go on.
UPDATE inbox_dead_letter SET blocks = FALSE WHERE id = :id AND blocks

-- name: pause
-- Pauses or resumes.
UPDATE inbox_consumer SET paused = :paused WHERE id = :consumer AND paused <> :paused

-- name: count_watermarks
SELECT COUNT(*) FROM inbox_watermark WHERE consumer_id = :consumer

-- name: deduplicate
-- Changes how a paused consumer deduplicates.
UPDATE inbox_consumer SET deduplication = :deduplication WHERE id = :consumer AND paused AND deduplication = :before

-- name: take_partitions_away
-- Takes the partitions of logs away from those who have them.
UPDATE inbox_watermark SET epoch = epoch + 1, updated_at = :now WHERE consumer_id = :consumer

-- name: reset_watermarks
-- The same, and there are no positions any more.
UPDATE inbox_watermark
SET epoch = epoch + 1, position = -3, leader_epoch = -1, updated_at = :now
WHERE consumer_id = :consumer

-- name: forget_watermarks
-- The same for one source, whatever the broker remembers.
UPDATE inbox_watermark
SET epoch = epoch + 1, position = -2, leader_epoch = -1, updated_at = :now
WHERE consumer_id = :consumer AND source = :source

-- name: note_change
-- Writes down what was done.
INSERT INTO inbox_audit (who, reason, action, consumer, message_key, detail, affected, at)
VALUES (:who, :reason, :action, :name, :key, :detail, :affected, :now)
