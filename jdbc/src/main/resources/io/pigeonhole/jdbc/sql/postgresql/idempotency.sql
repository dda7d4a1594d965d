-- Where PostgreSQL differs from the standard: a row that is refused would end its transaction.

-- name: insert
INSERT INTO inbox_idempotency (consumer_id, request_key, operation, idempotency_key, scope_hash, fingerprint, state, created_at,
    expires_at, body_stored, lease_token, lease_owner, lease_until, resume_at, request_headers, request_type, request_body)
VALUES (:consumer, :key, :operation, :idempotency_key, :scope, :fingerprint, 'running', :now,
    :expires, FALSE, :token, :owner, :until, :until, :request_headers, :request_type, :request_body)
ON CONFLICT (consumer_id, request_key) DO NOTHING
