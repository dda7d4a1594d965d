-- The largest numbers that rows have: in the table whose rows get them, and in other tables. 0 where there is none.

-- name: arrival
SELECT w.id, d.id
FROM (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_work) AS w
CROSS JOIN (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_dead_letter) AS d

-- name: attempt
SELECT COALESCE(MAX(id), 0), 0 FROM inbox_attempt

-- name: audit
SELECT COALESCE(MAX(id), 0), 0 FROM inbox_audit

-- name: outbox
SELECT COALESCE(MAX(position), 0), 0 FROM outbox_message

-- name: history
SELECT h.id, r.id
FROM (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_history) AS h
CROSS JOIN (SELECT COALESCE(MAX(cutoff), 0) AS id FROM inbox_replay) AS r

-- part: of_consumers
SELECT MAX(consumer_id) AS id FROM inbox_watermark
    UNION ALL SELECT MAX(consumer_id) FROM inbox_work
    UNION ALL SELECT MAX(consumer_id) FROM inbox_dead_letter
    UNION ALL SELECT MAX(consumer_id) FROM inbox_attempt
    UNION ALL SELECT MAX(consumer_id) FROM inbox_start
    UNION ALL SELECT MAX(consumer_id) FROM inbox_replay

-- name: consumer
SELECT c.id, o.id
FROM (SELECT COALESCE(MAX(id), 0) AS id FROM inbox_consumer) AS c
CROSS JOIN (SELECT COALESCE(MAX(m.id), 0) AS id FROM (
    {of_consumers}
    UNION ALL SELECT MAX(consumer_id) FROM inbox_work_partition
    UNION ALL SELECT MAX(consumer_id) FROM inbox_ledger
    UNION ALL SELECT MAX(consumer_id) FROM inbox_history
) AS m) AS o
