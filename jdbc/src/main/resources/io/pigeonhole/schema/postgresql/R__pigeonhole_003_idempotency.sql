-- Pigeonhole, schema version 3, for PostgreSQL 13 and later: requests with idempotency keys. docs/tables.md explains the table to people.
-- Each statement can be repeated: docs/adr/0024-schema-tools.md

CREATE TABLE IF NOT EXISTS inbox_idempotency (
    consumer_id     smallint    NOT NULL,
    request_key     uuid        NOT NULL,
    operation       text        NOT NULL,
    idempotency_key text        NOT NULL,
    scope_hash      bytea       NOT NULL,
    fingerprint     bytea       NOT NULL,
    state           text        NOT NULL CHECK (state IN ('running', 'finished')),
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    status          integer,
    headers         bytea,
    body            bytea,
    body_stored     boolean     NOT NULL,
    lease_token     bigint      NOT NULL,
    lease_owner     text,
    lease_until     timestamptz,
    resume_at       timestamptz,
    steps           bytea,
    request_headers bytea,
    request_type    text,
    request_body    bytea,
    PRIMARY KEY (consumer_id, request_key)
) WITH (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 1000
);
CREATE INDEX IF NOT EXISTS inbox_idempotency_expiry ON inbox_idempotency (consumer_id, expires_at);
CREATE INDEX IF NOT EXISTS inbox_idempotency_running ON inbox_idempotency (consumer_id, resume_at) WHERE state = 'running';
COMMENT ON TABLE inbox_idempotency IS 'Requests with idempotency keys, and the responses that they are answered with again.';
COMMENT ON COLUMN inbox_idempotency.request_key IS 'A digest of operation, scope and idempotency key.';
COMMENT ON COLUMN inbox_idempotency.scope_hash IS 'A digest of the tenant and the principal whose key it is.';
COMMENT ON COLUMN inbox_idempotency.fingerprint IS 'A digest of what the request asks for.';
COMMENT ON COLUMN inbox_idempotency.body_stored IS 'False where the body of the response was too large.';
COMMENT ON COLUMN inbox_idempotency.lease_token IS '0 where the request is handled in one transaction, and then nobody sees it before it is finished.';
COMMENT ON COLUMN inbox_idempotency.resume_at IS 'From when somebody may go on with it by himself, of a request in steps.';
COMMENT ON COLUMN inbox_idempotency.steps IS 'The results of the steps that are committed, by name, as headers are stored.';

INSERT INTO inbox_schema (version) VALUES (3) ON CONFLICT DO NOTHING;
