-- What several statements of PostgreSQL have in common.

-- part: work_item
-- The columns of an unfinished message.
w.id, w.message_key, w.attempts, w.retried,
CAST(date_part('epoch', clock_timestamp() - w.retry_since) * 1000000 AS bigint), w.by_lease, w.lease_token,
w.source, w.message_id, w.type, w.ordering_key, w.headers, w.content_type, w.payload, w.origin

-- part: attempt_values
-- The columns of an attempt; all are NULL where there was none.
(VALUES (CAST(:number AS integer), CAST(:node AS text), CAST(:duration AS bigint), CAST(:error_class AS text), CAST(:message AS text),
    CAST(:stack AS text))) AS a (number, node, duration, error_class, message, stack)

-- part: add_attempt
-- Notes an attempt at a message. From the message and the attempt.
INSERT INTO inbox_attempt (consumer_id, message_key, number, node, started_at, duration_ms, error_class,
    message, stack)
SELECT consumer_id, message_key, a.number, a.node, clock_timestamp() - a.duration * interval '1 millisecond',
    a.duration, a.error_class, a.message, a.stack
