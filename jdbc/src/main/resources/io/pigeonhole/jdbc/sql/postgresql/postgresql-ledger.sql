-- Claims, what else the ledger is asked, and what the history gets. Parameters of claims and of record are bound by their places, in the
-- order in which they stand here.

-- part: level
-- For sessions whose transactions begin as the engine's do, without a statement of its own in front.
set_config('transaction_isolation', 'read committed', true), set_config('transaction_read_only', 'off', true)

-- part: millis
-- By the server's clock.
CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)

-- part: require_transaction
-- Drivers send BEGIN by themselves, in front of the first statement. Where it is cancelled, the server executes what comes behind it all the
-- same, and commits it: a key without its effect. Outside of a transaction this fails, and takes what is behind it along; a LOCK TABLE does so
-- as the first statement only, since PostgreSQL 18.
SAVEPOINT pigeonhole_begun;
RELEASE SAVEPOINT pigeonhole_begun

-- part: require_transaction_first
-- The same where nothing stands in front. It waits for nothing that the insert does not wait for.
LOCK TABLE ONLY inbox_ledger IN ACCESS SHARE MODE

-- part: insert_many
-- The claim, the ledger's bounds that it used, and when that was. Keys that no partition is for are left out, because one of them would fail the
-- whole statement. Known is what is in the way by consumer and key, not what a unique index of somebody's own refuses: that fails.
WITH h AS MATERIALIZED (
    SELECT l.oldest, l.newest, c.id, c.paused
    FROM inbox_ledger_bounds AS l, inbox_consumer AS c
    WHERE c.id = :consumer
), i AS (
    INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at)
    SELECT h.id, u.k, u.hash, clock_timestamp()
    FROM h, unnest(CAST(:keys AS uuid[]), CAST(:hashes AS uuid[])) AS u (k, hash)
    WHERE u.k >= h.oldest AND (u.k < h.newest OR u.k >= 'ff000000-0000-0000-0000-000000000000')
        AND NOT h.paused

-- part: answer_of_many
-- Keys are returned only where not all were new. Then, with a snapshot of its own because the claim may have waited for
-- somebody who dead-lettered a message, whether there are dead letters at all, one look into an index; and the handlers'
-- own limits again.
    RETURNING message_key
)
SELECT h.oldest, h.newest, r.claimed, CASE WHEN r.claimed < :count THEN CAST(r.keys AS text) END, h.paused, {millis}
FROM h, (SELECT count(*) AS claimed, array_agg(message_key) AS keys FROM i) AS r;
SELECT (SELECT true FROM inbox_dead_letter WHERE consumer_id = :consumer ORDER BY message_key LIMIT 1), {handlers_limits}

-- part: claim_many
{insert_many}
    ON CONFLICT (consumer_id, message_key) DO NOTHING
{answer_of_many}

-- name: claim
SELECT {limits_of_wait};
{claim_many}

-- name: begin_with_claim
{settings}, {limits_of_wait}, {level}
{from_before};
{require_transaction};
{claim_many}

-- name: begin_otherwise_with_claim
{set_level};
{settings}, {limits_of_wait}
{from_before};
{require_transaction};
{claim_many}

-- name: begin_with_claim_as_new
-- It looks into the index once for each key instead of twice, and confirms none in the log.
{settings}, {limits_of_wait}, {level}
{from_before};
{require_transaction};
{insert_many}
{answer_of_many}

-- name: begin_otherwise_with_claim_as_new
{set_level};
{settings}, {limits_of_wait}
{from_before};
{require_transaction};
{insert_many}
{answer_of_many}

-- part: insert_one
-- One key of a day that the ledger has; no row is inserted where it is known, or the consumer is paused, or a unique index of somebody's
-- own refuses it: claim_one_behind distinguishes these. Not to name the key that decides saves the server a look at the
-- day's index in the catalog. Where the row is inserted, handlers have their own lock_timeout again, without a statement more.
INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at)
SELECT c.id, CAST(:key AS uuid), CAST(:hash AS uuid), clock_timestamp()
FROM inbox_consumer AS c
WHERE c.id = :consumer AND NOT c.paused
ON CONFLICT DO NOTHING
RETURNING {handlers_lock_timeout}

-- part: limit_of_one
-- Set by a statement of its own: whoever waits for a locked table waits before the statement behind it is executed.
set_config('lock_timeout', :timeout, true)

-- name: claim_one
-- What nearly always is all there is to do. Nothing is asked besides.
SELECT {limit_of_one};
{insert_one}

-- name: begin_with_claim_one
{settings}, {limit_of_one}, {level}
{from_before};
{require_transaction};
{insert_one}

-- name: begin_otherwise_with_claim_one
{set_level};
{settings}, {limit_of_one}
{from_before};
{require_transaction};
{insert_one}

-- name: claim_one_behind
-- The consumer may have been paused between the two; with a snapshot of its own, as behind a claim of many, it returns
-- whether there are dead letters.
INSERT INTO inbox_ledger (consumer_id, message_key, payload_hash, accepted_at)
VALUES (:consumer, :key, :hash, clock_timestamp())
ON CONFLICT (consumer_id, message_key) DO NOTHING
RETURNING true;
SELECT c.paused,
    (SELECT true FROM inbox_dead_letter AS d WHERE d.consumer_id = c.id ORDER BY d.message_key LIMIT 1),
    {handlers_limits}
FROM inbox_consumer AS c
WHERE c.id = :consumer

-- part: insert_one_by_hand
INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
VALUES (:consumer, :key, clock_timestamp())

-- name: claim_one_by_hand
-- Nothing is inserted where the key is known, or a unique index of somebody's own refuses it: the one that names what
-- decides distinguishes these.
{require_transaction_first};
{insert_one_by_hand}
ON CONFLICT DO NOTHING

-- name: claim_one_by_hand_behind
{insert_one_by_hand}
ON CONFLICT (consumer_id, message_key) DO NOTHING

-- name: claim_by_hand
{require_transaction_first};
WITH h AS MATERIALIZED (
    SELECT oldest, newest FROM inbox_ledger_bounds
), i AS (
    INSERT INTO inbox_ledger (consumer_id, message_key, accepted_at)
    SELECT :consumer, u.k, clock_timestamp()
    FROM h, unnest(CAST(:keys AS uuid[])) AS u (k)
    WHERE u.k >= h.oldest AND (u.k < h.newest OR u.k >= 'ff000000-0000-0000-0000-000000000000')
    ON CONFLICT (consumer_id, message_key) DO NOTHING
    RETURNING message_key
)
SELECT h.oldest, h.newest, r.claimed, r.keys, false, {millis}
FROM h, (SELECT count(*) AS claimed, CAST(array_agg(message_key) AS text) AS keys FROM i) AS r

-- name: known
SELECT message_key FROM inbox_work WHERE consumer_id = :consumer AND message_key = ANY (CAST(:keys AS uuid[]))
UNION
SELECT message_key FROM inbox_dead_letter WHERE consumer_id = :consumer AND message_key = ANY (CAST(:keys AS uuid[]))

-- name: conflicting
-- Payloads are read for those keys only for which the ledger has no hash; theirs is computed as PayloadHash does it.
SELECT u.k
FROM unnest(CAST(:keys AS uuid[]), CAST(:hashes AS uuid[])) AS u (k, hash)
LEFT JOIN inbox_ledger AS l ON l.consumer_id = :consumer AND l.message_key = u.k
WHERE CASE WHEN l.payload_hash IS NOT NULL THEN l.payload_hash <> u.hash ELSE (
    SELECT bool_and(u.hash <> coalesce(CAST(encode(substr(sha256(kept.payload), 1, 16), 'hex') AS uuid),
        CAST('00000000-0000-0000-0000-000000000000' AS uuid)))
    FROM (
        SELECT w.payload FROM inbox_work AS w WHERE w.consumer_id = :consumer AND w.message_key = u.k
        UNION ALL
        SELECT d.payload
        FROM inbox_dead_letter AS d
        WHERE d.consumer_id = :consumer AND d.message_key = u.k AND d.reason <> 'BYTES_NOT_STORED'
    ) AS kept
) END

-- name: record
INSERT INTO inbox_history ({message_columns}, with_payload, attempts, processed_at)
VALUES ({message_values}, :with_payload, :attempts, clock_timestamp())
