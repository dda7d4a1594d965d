-- Pigeonhole, schema version 3, for H2 2.2.220 and later: requests with idempotency keys. docs/tables.md explains the table to people.

CREATE TABLE IF NOT EXISTS inbox_idempotency (
    consumer_id     SMALLINT     NOT NULL,
    request_key     BINARY(16)   NOT NULL,
    operation       VARCHAR(200) NOT NULL,
    idempotency_key VARCHAR(255) NOT NULL,
    scope_hash      BINARY(32)   NOT NULL,
    fingerprint     BINARY(32)   NOT NULL,
    state           VARCHAR(10)  NOT NULL,
    created_at      TIMESTAMP(6) NOT NULL,
    expires_at      TIMESTAMP(6) NOT NULL,
    finished_at     TIMESTAMP(6),
    status          INTEGER,
    headers         BINARY LARGE OBJECT,
    body            BINARY LARGE OBJECT,
    body_stored     BOOLEAN      NOT NULL,
    lease_token     BIGINT       NOT NULL,
    lease_owner     CHARACTER VARYING,
    lease_until     TIMESTAMP(6),
    resume_at       TIMESTAMP(6),
    steps           BINARY LARGE OBJECT,
    request_headers BINARY LARGE OBJECT,
    request_type    CHARACTER VARYING,
    request_body    BINARY LARGE OBJECT,
    PRIMARY KEY (consumer_id, request_key),
    CHECK (state IN ('running', 'finished'))
);
CREATE INDEX IF NOT EXISTS inbox_idempotency_expiry ON inbox_idempotency (consumer_id, expires_at);
CREATE INDEX IF NOT EXISTS inbox_idempotency_running ON inbox_idempotency (consumer_id, resume_at);

INSERT INTO inbox_schema (version, installed_at)
SELECT 3, DATEADD(MICROSECOND, CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT), TIMESTAMP '1970-01-01 00:00:00')
WHERE NOT EXISTS (SELECT 1 FROM inbox_schema WHERE version = 3);
