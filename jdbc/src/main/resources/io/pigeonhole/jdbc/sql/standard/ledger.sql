-- About the ledger, its days, the work partitions and the history.

-- name: now
SELECT CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)

-- name: is_writable
SELECT TRUE

-- name: hold_bounds
{bounds}

-- name: extend_ledger
UPDATE inbox_ledger_bounds SET newest = :newest WHERE only_row = TRUE AND newest < :newest

-- name: look
SELECT NULL AS message_key, h.oldest, h.newest, c.paused
FROM inbox_ledger_bounds AS h CROSS JOIN inbox_consumer AS c
WHERE c.id = :consumer
UNION ALL
SELECT l.message_key, NULL, NULL, NULL
FROM inbox_ledger AS l
WHERE l.consumer_id = :consumer AND l.message_key IN (:keys...)

-- name: claim
INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at) VALUES {(:consumer, :keys..., :hashes..., :now)}

-- name: end_of_claim
-- Where the ledger begins, and a row of NULL besides where the consumer has dead letters.
SELECT h.oldest FROM inbox_ledger_bounds AS h
UNION ALL
(SELECT NULL FROM inbox_dead_letter AS d WHERE d.consumer_id = :consumer LIMIT 1)

-- name: known
SELECT message_key FROM inbox_work WHERE consumer_id = :consumer AND message_key IN (:keys...)
UNION
SELECT message_key FROM inbox_dead_letter WHERE consumer_id = :consumer AND message_key IN (:keys...)

-- name: hashes
SELECT message_key, payload_hash
FROM inbox_ledger
WHERE consumer_id = :consumer AND message_key IN (:keys...) AND payload_hash IS NOT NULL

-- name: payloads
SELECT message_key, payload FROM inbox_work WHERE consumer_id = :consumer AND message_key IN (:keys...)
UNION ALL
SELECT message_key, payload
FROM inbox_dead_letter
WHERE consumer_id = :consumer AND message_key IN (:keys...) AND reason <> 'BYTES_NOT_STORED'

-- name: record
INSERT INTO inbox_history ({message_columns}, with_payload, attempts, processed_at)
VALUES ({message_values}, :with_payload, :attempts, :now)

-- name: lock_work_partitions
-- Each work partition is named in full: MariaDB could look for the consumer alone.
{as_listed}
SELECT work_partition
FROM inbox_work_partition {by_primary_key}
WHERE (consumer_id, kind, work_partition) IN ({(:consumer, 'store', :work_partitions...)})
ORDER BY consumer_id, kind, work_partition
FOR UPDATE

-- name: enter_work_partition
SELECT work_partition
FROM inbox_work_partition
WHERE consumer_id = :consumer AND kind = 'work' AND work_partition = :work_partition
FOR UPDATE SKIP LOCKED
