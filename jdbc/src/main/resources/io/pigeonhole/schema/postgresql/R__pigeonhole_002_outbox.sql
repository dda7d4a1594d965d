-- Pigeonhole, schema version 2, for PostgreSQL 13 and later: messages to send. docs/outbox.md explains it to people.
-- Each statement can be repeated: docs/adr/0024-schema-tools.md

-- Positions are taken when a message is appended, so that transactions that wait for each other have them in order. No cache.
CREATE SEQUENCE IF NOT EXISTS outbox_position;

-- Two tables in turns: appended to one while the other is drained, which is truncated then. Deleted rows that a long transaction keeps
-- from being vacuumed go with it.
CREATE TABLE IF NOT EXISTS outbox_message (
    position       bigint      NOT NULL DEFAULT nextval('outbox_position'),
    generation     smallint    NOT NULL,
    destination    text        NOT NULL,
    work_partition smallint    NOT NULL,
    id             uuid        NOT NULL,
    ordering_key   bytea,
    type           text,
    headers        bytea       NOT NULL,
    content_type   text,
    payload        bytea,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (destination, work_partition, position, generation)
) PARTITION BY LIST (generation);
COMMENT ON TABLE outbox_message IS 'Messages to send, until a relay has published them. A payload that is NULL is a tombstone.';
COMMENT ON COLUMN outbox_message.position IS 'The order in which messages were appended.';
COMMENT ON COLUMN outbox_message.generation IS 'In which of the two tables it is.';
COMMENT ON COLUMN outbox_message.work_partition IS 'The unit of parallelism: from the ordering key, or the id where there is none.';

CREATE TABLE IF NOT EXISTS outbox_message_0 PARTITION OF outbox_message FOR VALUES IN (0)
    WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE TABLE IF NOT EXISTS outbox_message_1 PARTITION OF outbox_message FOR VALUES IN (1)
    WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE TABLE IF NOT EXISTS outbox_generation (
    only_row boolean  NOT NULL DEFAULT true PRIMARY KEY CHECK (only_row),
    current  smallint NOT NULL CHECK (current IN (0, 1))
);
COMMENT ON TABLE outbox_generation IS 'Which of the two tables messages are appended to.';
INSERT INTO outbox_generation (current) VALUES (0) ON CONFLICT DO NOTHING;

INSERT INTO inbox_schema (version) VALUES (2) ON CONFLICT DO NOTHING;
