-- From when ages count, and how long the programs of a schema require things to be remembered. What changes all rows names a key
-- nevertheless: in a session with sql_safe_updates MariaDB refuses others.

-- name: clock
SELECT seen_at, trusted_at FROM inbox_clock

-- name: move_clock
-- No row is changed where another node looked meanwhile.
UPDATE inbox_clock SET seen_at = :seen, trusted_at = :trusted WHERE only_row = TRUE AND seen_at = :before

-- name: confirm_clock
UPDATE inbox_clock SET seen_at = :now, trusted_at = :now WHERE only_row = TRUE

-- name: restart_tasks
-- Begins all passes anew: their times may be of a wrong clock.
UPDATE inbox_upkeep SET next_at = :now WHERE task > ''

-- name: free_tasks
-- Ends what a wrong clock would hold for long.
UPDATE inbox_upkeep SET busy_until = :now WHERE task > '' AND busy_until > :latest

-- name: pull_back
-- Takes back by how much the clock was ahead when a message was changed last, from all that it waits for.
UPDATE inbox_work
SET due_at = due_at - (updated_at - CAST(:now AS TIMESTAMP(6))),
    leased_at = leased_at - (updated_at - CAST(:now AS TIMESTAMP(6))),
    lease_until = lease_until - (updated_at - CAST(:now AS TIMESTAMP(6))),
    updated_at = :now
WHERE updated_at > :future

-- name: pull_back_ages
-- No age begins in the future.
UPDATE inbox_work
SET received_at = LEAST(received_at, CAST(:now AS TIMESTAMP(6))), retry_since = LEAST(retry_since, CAST(:now AS TIMESTAMP(6)))
WHERE received_at > :future OR retry_since > :future

-- name: count_in_future
SELECT COUNT(*) FROM inbox_work WHERE updated_at > :future OR received_at > :future OR retry_since > :future

-- name: required
SELECT what, millis, confirmed_at FROM inbox_retention

-- name: confirm_required
UPDATE inbox_retention SET confirmed_at = :at WHERE what = :what AND millis = :millis

-- name: add_required
INSERT INTO inbox_retention (confirmed_at, what, millis) VALUES (:at, :what, :millis)

-- name: drop_required
-- Unless somebody confirmed it meanwhile.
DELETE FROM inbox_retention WHERE confirmed_at = :at AND what = :what AND millis = :millis
