-- Pigeonhole, schema version 3, for MariaDB 10.6 and MySQL 8.0 and later: requests with idempotency keys. docs/tables.md explains the
-- table to people. The primary key is the only unique one: an insert that meets a row locks that row then, and not what is beside it.

CREATE TABLE IF NOT EXISTS inbox_idempotency (
    consumer_id     SMALLINT     NOT NULL,
    request_key     BINARY(16)   NOT NULL COMMENT 'A digest of operation, scope and idempotency key.',
    operation       VARCHAR(200) NOT NULL,
    idempotency_key VARCHAR(255) NOT NULL,
    scope_hash      BINARY(32)   NOT NULL COMMENT 'A digest of the tenant and the principal whose key it is.',
    fingerprint     BINARY(32)   NOT NULL COMMENT 'A digest of what the request asks for.',
    state           VARCHAR(10)  NOT NULL,
    created_at      DATETIME(6)  NOT NULL,
    expires_at      DATETIME(6)  NOT NULL,
    finished_at     DATETIME(6),
    status          INTEGER,
    headers         LONGBLOB,
    body            LONGBLOB,
    body_stored     BOOLEAN      NOT NULL COMMENT 'False where the body of the response was too large.',
    lease_token     BIGINT       NOT NULL COMMENT '0 where the request is handled in one transaction, and then nobody sees it before it is finished.',
    lease_owner     TEXT,
    lease_until     DATETIME(6),
    resume_at       DATETIME(6)  COMMENT 'From when somebody may go on with it by himself, of a request in steps.',
    steps           LONGBLOB     COMMENT 'The results of the steps that are committed, by name, as headers are stored.',
    request_headers LONGBLOB,
    request_type    MEDIUMTEXT,
    request_body    LONGBLOB,
    PRIMARY KEY (consumer_id, request_key),
    KEY inbox_idempotency_expiry (consumer_id, expires_at),
    KEY inbox_idempotency_running (consumer_id, resume_at),
    CHECK (state IN ('running', 'finished'))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Requests with idempotency keys, and the responses that they are answered with again.';

INSERT INTO inbox_schema (version, installed_at)
SELECT 3, UTC_TIMESTAMP(6) FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT 1 FROM inbox_schema WHERE version = 3);
