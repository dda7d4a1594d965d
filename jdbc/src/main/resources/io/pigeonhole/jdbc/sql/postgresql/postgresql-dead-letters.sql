-- Dead letters, as PostgreSQL adds and moves them in one statement each.

-- part: there_already
-- What becomes of a letter that is there already: it counts as seen again. One that was never claimed, and whose message was accepted
-- since and now dies, becomes the letter of that message as a whole: a requeue must not take it for one whose message has taken effect.
ON CONFLICT (consumer_id, message_key) DO UPDATE SET
    seen_again = d.seen_again + 1,
    id = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.id ELSE d.id END,
    claimed = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.claimed ELSE d.claimed END,
    source = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.source ELSE d.source END,
    message_id = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.message_id ELSE d.message_id END,
    type = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.type ELSE d.type END,
    ordering_key = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.ordering_key ELSE d.ordering_key END,
    headers = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.headers ELSE d.headers END,
    content_type = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.content_type ELSE d.content_type END,
    payload = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.payload ELSE d.payload END,
    origin = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.origin ELSE d.origin END,
    work_partition = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.work_partition ELSE d.work_partition END,
    ordered = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.ordered ELSE d.ordered END,
    by_lease = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.by_lease ELSE d.by_lease END,
    blocks = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.blocks ELSE d.blocks END,
    reason = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.reason ELSE d.reason END,
    detail = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.detail ELSE d.detail END,
    attempts = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.attempts ELSE d.attempts END,
    lease_token = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.lease_token ELSE d.lease_token END,
    received_at = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.received_at ELSE d.received_at END,
    died_at = CASE WHEN excluded.claimed AND NOT d.claimed THEN excluded.died_at ELSE d.died_at END

-- part: free_letter_id
-- The id that a row w of work gets among the dead letters.
CASE WHEN EXISTS (SELECT FROM inbox_dead_letter AS other WHERE other.id = w.id)
    THEN nextval('inbox_arrival') ELSE w.id END

-- part: free_work_id
-- The id that a dead letter d gets in work.
CASE WHEN EXISTS (SELECT FROM inbox_work AS other WHERE other.id = d.id)
    THEN nextval('inbox_arrival') ELSE d.id END

-- name: add
WITH added AS (
    INSERT INTO inbox_dead_letter AS d (consumer_id, message_key, source, message_id, type, ordering_key,
        headers, content_type, payload, origin, work_partition, ordered, by_lease, blocks, reason, detail, claimed,
        attempts, received_at, died_at)
    VALUES (:consumer, :key, :source, :message_id, :type, :ordering_key, :headers, :content_type, :payload,
        :origin, :work_partition, :ordered, false, :blocks, :reason, :detail, :claimed, :attempts, clock_timestamp(),
        clock_timestamp())
    {there_already}
    RETURNING consumer_id, message_key, seen_again = 0 OR died_at >= statement_timestamp() AS is_new
)
{add_attempt}
FROM added, {attempt_values}
WHERE a.number IS NOT NULL AND added.is_new

-- name: move_from_work
-- The row keeps its id, unless the sequence has begun anew and another message has that: then it goes behind all.
WITH w AS (
    DELETE FROM inbox_work WHERE consumer_id = :consumer AND id = :id AND lease_token = :token
    RETURNING *
), noted AS (
    {add_attempt}
    FROM w, {attempt_values}
    WHERE a.number IS NOT NULL
)
INSERT INTO inbox_dead_letter AS d (id, consumer_id, message_key, source, message_id, type, ordering_key,
    headers, content_type, payload, origin, work_partition, ordered, by_lease, blocks, reason, detail, claimed, attempts,
    lease_token, received_at, died_at)
SELECT {free_letter_id}, consumer_id, message_key, source, message_id, type, ordering_key,
    headers, content_type, payload, origin, work_partition, ordered, by_lease, :blocks, :reason, :detail, :claimed, :attempts,
    lease_token, received_at, clock_timestamp()
FROM w
{there_already}

-- name: seen_again
-- In the order of the keys, so that two of them do not wait for each other.
UPDATE inbox_dead_letter SET seen_again = seen_again + 1
WHERE id = ANY (ARRAY(
    SELECT id FROM inbox_dead_letter
    WHERE consumer_id = :consumer AND message_key = ANY (CAST(:keys AS uuid[]))
    ORDER BY message_key
    FOR UPDATE))
RETURNING message_key

-- name: reopen
-- In the order of the keys, as above. Each keeps its id, unless the sequence has begun anew and a message in work has that.
WITH d AS (
    DELETE FROM inbox_dead_letter
    WHERE id = ANY (ARRAY(
        SELECT id FROM inbox_dead_letter
        WHERE consumer_id = :consumer AND message_key = ANY (CAST(:keys AS uuid[])) AND claimed
            AND reason <> 'BYTES_NOT_STORED'
        ORDER BY message_key
        FOR UPDATE))
    RETURNING *
)
INSERT INTO inbox_work (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
    content_type, payload, origin, work_partition, ordered, by_lease, status, attempts, retried, lease_token, due_at,
    received_at, retry_since, updated_at)
SELECT {free_work_id}, consumer_id, message_key, source, message_id, type, ordering_key, headers,
    content_type, payload, origin, work_partition, ordered, by_lease, 'received', attempts, attempts, lease_token,
    clock_timestamp(), received_at, clock_timestamp(), clock_timestamp()
FROM d
RETURNING message_key

-- name: requeue
-- One whose message is in work already stays. Each is due so many microseconds behind the first instant.
WITH d AS (
    DELETE FROM inbox_dead_letter AS l
    USING unnest(CAST(:ids AS bigint[]), CAST(:delays AS bigint[])) AS u (id, pigeonhole_delay)
    WHERE l.id = u.id AND l.consumer_id = :consumer
        AND NOT EXISTS (SELECT FROM inbox_work AS w WHERE w.consumer_id = l.consumer_id AND w.message_key = l.message_key)
    RETURNING l.*, u.pigeonhole_delay
), i AS (
    INSERT INTO inbox_work (id, consumer_id, message_key, source, message_id, type, ordering_key, headers,
        content_type, payload, origin, work_partition, ordered, by_lease, status, attempts, retried, lease_token, due_at,
        received_at, retry_since, updated_at)
    SELECT {free_work_id}, consumer_id, message_key, source, message_id, type, ordering_key, headers,
        content_type, payload, origin, work_partition, ordered, by_lease, 'received', attempts, attempts, lease_token,
        CAST(:first AS timestamptz) + pigeonhole_delay * interval '1 microsecond', received_at, clock_timestamp(),
        clock_timestamp()
    FROM d
    ON CONFLICT (consumer_id, message_key) DO NOTHING
    RETURNING consumer_id, message_key
)
SELECT d.id FROM d JOIN i ON i.consumer_id = d.consumer_id AND i.message_key = d.message_key

-- name: skip
WITH w AS (
    DELETE FROM inbox_work WHERE id = :id RETURNING *
)
INSERT INTO inbox_dead_letter AS d (id, consumer_id, message_key, source, message_id, type, ordering_key,
    headers, content_type, payload, origin, work_partition, ordered, by_lease, blocks, reason, detail, claimed, attempts,
    lease_token, received_at, died_at)
SELECT {free_letter_id}, consumer_id, message_key, source, message_id, type, ordering_key,
    headers, content_type, payload, origin, work_partition, ordered, by_lease, false, 'SKIPPED', :detail, true, attempts,
    lease_token, received_at, clock_timestamp()
FROM w
{there_already}
