-- About the leases of unfinished messages, for a heartbeat.

-- name: find
SELECT w.id, w.lease_token
FROM inbox_work AS w
WHERE w.consumer_id = :consumer AND w.id IN (:ids...) AND w.status = 'leased'

-- name: lock
{as_listed}
SELECT w.id, w.lease_token
FROM inbox_work AS w {by_primary_key}
WHERE w.id IN (:ids...) AND w.status = 'leased'
FOR UPDATE SKIP LOCKED

-- name: prolong
UPDATE inbox_work SET lease_until = :until, updated_at = :now WHERE id = :id
