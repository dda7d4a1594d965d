-- Where MariaDB differs from the standard.

-- name: pull_back
UPDATE inbox_work
SET due_at = due_at - INTERVAL TIMESTAMPDIFF(MICROSECOND, :now, updated_at) MICROSECOND,
    leased_at = leased_at - INTERVAL TIMESTAMPDIFF(MICROSECOND, :now, updated_at) MICROSECOND,
    lease_until = lease_until - INTERVAL TIMESTAMPDIFF(MICROSECOND, :now, updated_at) MICROSECOND,
    updated_at = :now
WHERE id > 0 AND updated_at > :future

-- name: pull_back_ages
UPDATE inbox_work
SET received_at = LEAST(received_at, :now), retry_since = LEAST(retry_since, :now)
WHERE id > 0 AND (received_at > :future OR retry_since > :future)
