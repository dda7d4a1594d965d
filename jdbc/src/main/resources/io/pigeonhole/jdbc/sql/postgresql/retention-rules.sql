-- Where PostgreSQL differs from the standard.

-- name: pull_back
-- Not by the difference itself, whose days are those of a time zone.
UPDATE inbox_work
SET due_at = due_at - date_part('epoch', updated_at - :now) * interval '1 second',
    leased_at = leased_at - date_part('epoch', updated_at - :now) * interval '1 second',
    lease_until = lease_until - date_part('epoch', updated_at - :now) * interval '1 second',
    updated_at = :now
WHERE updated_at > :future

-- name: pull_back_ages
UPDATE inbox_work
SET received_at = LEAST(received_at, :now), retry_since = LEAST(retry_since, :now)
WHERE received_at > :future OR retry_since > :future

-- name: add_required
INSERT INTO inbox_retention (confirmed_at, what, millis) VALUES (:at, :what, :millis)
ON CONFLICT (what, millis) DO NOTHING
