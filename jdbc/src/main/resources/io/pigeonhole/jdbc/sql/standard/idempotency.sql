-- Requests with idempotency keys. Each statement about one of them names it by the whole primary key, by which its row is locked.

-- part: is_old
-- One that is unfinished and was not begun in steps was committed by its handler itself.
expires_at <= :now AND (state = 'finished' OR lease_token = 0 OR (expires_at <= :long_ago AND lease_until <= :long_ago))

-- part: of_request
WHERE consumer_id = :consumer AND request_key = :key

-- name: find
SELECT fingerprint, state, status, headers, body, body_stored, lease_token,
    CASE WHEN lease_until > :now THEN TRUE ELSE FALSE END,
    CASE WHEN (state = 'finished' OR lease_token = 0) AND expires_at <= :now THEN TRUE ELSE FALSE END
FROM inbox_idempotency
{of_request}

-- name: insert
-- Waits where another transaction has inserted the same; see the lock timeout of the claim.
INSERT INTO inbox_idempotency (consumer_id, request_key, operation, idempotency_key, scope_hash, fingerprint, state, created_at,
    expires_at, body_stored, lease_token, lease_owner, lease_until, resume_at, request_headers, request_type, request_body)
VALUES (:consumer, :key, :operation, :idempotency_key, :scope, :fingerprint, 'running', :now,
    :expires, FALSE, :token, :owner, :until, :until, :request_headers, :request_type, :request_body)

-- name: replace
-- One whose retention is over becomes a new one.
UPDATE inbox_idempotency
SET operation = :operation, idempotency_key = :idempotency_key, scope_hash = :scope, fingerprint = :fingerprint, state = 'running',
    created_at = :now, expires_at = :expires, finished_at = NULL, status = NULL, headers = NULL, body = NULL, body_stored = FALSE,
    lease_token = :token, lease_owner = :owner, lease_until = :until, resume_at = :until, steps = NULL,
    request_headers = :request_headers, request_type = :request_type, request_body = :request_body
{of_request} AND (state = 'finished' OR lease_token = 0) AND expires_at <= :now

-- name: take_over
UPDATE inbox_idempotency
SET lease_token = :new_token, lease_owner = :owner, lease_until = :until, resume_at = :until
{of_request} AND state = 'running' AND lease_token = :token AND lease_until <= :now

-- name: read
-- Behind a takeover, in its transaction.
SELECT operation, idempotency_key, steps, request_headers, request_type, request_body
FROM inbox_idempotency
{of_request}

-- name: hold
UPDATE inbox_idempotency
SET lease_until = :until, resume_at = :until
{of_request} AND state = 'running' AND lease_token = :token AND lease_until > :now

-- name: store_steps
UPDATE inbox_idempotency SET steps = :steps {of_request}

-- name: release
UPDATE inbox_idempotency SET lease_owner = NULL, lease_until = :now, resume_at = :resume {of_request}

-- name: finish
UPDATE inbox_idempotency
SET state = 'finished', finished_at = :now, status = :status, headers = :headers, body = :body, body_stored = :body_stored,
    lease_owner = NULL, lease_until = NULL, resume_at = NULL, request_headers = NULL, request_type = NULL, request_body = NULL,
    steps = NULL, expires_at = CASE WHEN expires_at < :expires THEN :expires ELSE expires_at END
{of_request} AND state = 'running'

-- name: forget
DELETE FROM inbox_idempotency {of_request}

-- name: old
{sorted}
SELECT request_key, expires_at
FROM inbox_idempotency
WHERE consumer_id = :consumer AND {is_old}
ORDER BY expires_at
LIMIT :limit
{end_of_sorted}
{by_expires_at}

-- name: lock_old
-- What somebody replaces meanwhile is left.
SELECT CASE WHEN state = 'finished' OR lease_token = 0 THEN FALSE ELSE TRUE END
FROM inbox_idempotency
{of_request} AND {is_old}
FOR UPDATE SKIP LOCKED

-- name: abandoned
{sorted}
SELECT request_key, operation, lease_token, resume_at
FROM inbox_idempotency
WHERE consumer_id = :consumer AND state = 'running' AND lease_until <= :now AND resume_at <= :before
    AND operation IN (:operations...)
ORDER BY resume_at
LIMIT :limit
{end_of_sorted}
{by_resume_at}

-- name: show
SELECT operation, idempotency_key, fingerprint, created_at, expires_at, status, headers, OCTET_LENGTH(body), body_stored, steps,
    lease_owner
FROM inbox_idempotency
{of_request}

-- name: lock
SELECT CASE WHEN lease_until > :now THEN TRUE ELSE FALSE END, operation, idempotency_key, status
FROM inbox_idempotency
{of_request}
FOR UPDATE
