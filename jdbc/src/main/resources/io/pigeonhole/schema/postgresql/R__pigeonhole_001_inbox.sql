-- Pigeonhole, schema version 1, for PostgreSQL 13 and later. Needs no superuser. Everything is created in the current
-- schema, the first of search_path. docs/tables.md explains the tables to people.
-- Each statement can be repeated: docs/adr/0024-schema-tools.md
-- The days of the ledger and of the history are not here: they are data, created by Schema.apply and by every node.

CREATE TABLE IF NOT EXISTS inbox_schema (
    version      integer     NOT NULL PRIMARY KEY,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE inbox_schema IS 'The versions of this schema that are installed.';

CREATE TABLE IF NOT EXISTS inbox_consumer (
    id            smallint    NOT NULL GENERATED ALWAYS AS IDENTITY (MINVALUE 1 MAXVALUE 32767) PRIMARY KEY,
    name          text        NOT NULL UNIQUE,
    id_form       text        NOT NULL,
    digest_below  bigint      NOT NULL,
    key_order     text        NOT NULL,
    work_partitions         smallint    NOT NULL,
    paused        boolean     NOT NULL DEFAULT false,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    deduplication text        NOT NULL DEFAULT 'IDS'
);
COMMENT ON COLUMN inbox_consumer.deduplication IS 'How accepted messages are distinguished from new ones. Changed by the admin API.';
COMMENT ON TABLE inbox_consumer IS 'The consumers, so that every other row holds two bytes and not a name.';
COMMENT ON COLUMN inbox_consumer.digest_below IS
    'Ids made before this many milliseconds since 1970 get keys in digest form. Never changes: docs/message-key.md';
COMMENT ON COLUMN inbox_consumer.paused IS 'Nothing is claimed, taken or leased while it is true. Changed by the admin API.';

-- One insert per accepted message, never updated. The key begins with the time of the id, so that days are ranges of it.
CREATE TABLE IF NOT EXISTS inbox_ledger (
    consumer_id  smallint    NOT NULL,
    message_key  uuid        NOT NULL,
    accepted_at  timestamptz NOT NULL,
    payload_hash uuid,
    PRIMARY KEY (consumer_id, message_key)
) PARTITION BY RANGE (message_key);
COMMENT ON TABLE inbox_ledger IS 'The keys of all accepted messages: this consumer has taken responsibility for this message.';
COMMENT ON COLUMN inbox_ledger.payload_hash IS 'Kept where the consumer asks for it, to distinguish another payload from a duplicate.';

-- Keys without a time sort behind all days.
CREATE TABLE IF NOT EXISTS inbox_ledger_digest PARTITION OF inbox_ledger
    FOR VALUES FROM ('ff000000-0000-0000-0000-000000000000') TO (MAXVALUE);

CREATE TABLE IF NOT EXISTS inbox_ledger_bounds (
    only_row boolean NOT NULL DEFAULT true PRIMARY KEY CHECK (only_row),
    oldest   uuid    NOT NULL,
    newest   uuid    NOT NULL,
    CHECK (oldest <= newest)
);
COMMENT ON TABLE inbox_ledger_bounds IS 'The ledger accepts keys in time form from oldest (included) to newest (excluded).';

-- The ledger begins today, and has no day yet.
INSERT INTO inbox_ledger_bounds (oldest, newest)
SELECT today.first_key, today.first_key
FROM (
    SELECT (lpad(to_hex(extract(epoch FROM date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC'))::bigint * 1000), 12, '0')
        || repeat('0', 20))::uuid AS first_key
) AS today
ON CONFLICT DO NOTHING;

-- Ages count from trusted_at, which follows the clock but never jumps: docs/retention.md
CREATE TABLE IF NOT EXISTS inbox_clock (
    only_row   boolean     NOT NULL DEFAULT true PRIMARY KEY CHECK (only_row),
    seen_at    timestamptz NOT NULL,
    trusted_at timestamptz NOT NULL
);
COMMENT ON TABLE inbox_clock IS 'From when ages count for retention. Set by the admin API.';
INSERT INTO inbox_clock (seen_at, trusted_at)
SELECT this.moment, this.moment FROM (SELECT clock_timestamp() AS moment) AS this
ON CONFLICT DO NOTHING;

-- Each program says how long it wants something remembered; the longest holds for all.
CREATE TABLE IF NOT EXISTS inbox_retention (
    what         text        NOT NULL,
    millis       bigint      NOT NULL,
    confirmed_at timestamptz NOT NULL,
    PRIMARY KEY (what, millis)
);
COMMENT ON TABLE inbox_retention IS 'How long programs want to remember what. A row that none confirms for that long is deleted.';

-- The order of arrival: a message keeps its place when it goes from work to the dead letters and back.
CREATE SEQUENCE IF NOT EXISTS inbox_arrival;

-- Small and hot: room for updates within the page, and vacuumed soon.
CREATE TABLE IF NOT EXISTS inbox_work (
    id           bigint      NOT NULL DEFAULT nextval('inbox_arrival') PRIMARY KEY,
    consumer_id  smallint    NOT NULL,
    message_key  uuid        NOT NULL,
    work_partition         smallint    NOT NULL,
    ordered      boolean     NOT NULL,
    by_lease     boolean     NOT NULL,
    status       text        NOT NULL CHECK (status IN ('received', 'parked', 'leased')),
    attempts     integer     NOT NULL,
    retried      integer     NOT NULL DEFAULT 0,
    due_at       timestamptz NOT NULL,
    lease_token  bigint      NOT NULL DEFAULT 0,
    lease_owner  text,
    leased_at    timestamptz,
    lease_until  timestamptz,
    received_at  timestamptz NOT NULL,
    retry_since  timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    last_error   text,
    source       text        NOT NULL,
    message_id   bytea,
    type         text,
    ordering_key bytea,
    headers      bytea       NOT NULL,
    content_type text,
    payload      bytea,
    origin       text,
    UNIQUE (consumer_id, message_key),
    CHECK ((status = 'leased') = (lease_until IS NOT NULL))
) WITH (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 200,
    autovacuum_analyze_scale_factor = 0.05
);
CREATE INDEX IF NOT EXISTS inbox_work_due ON inbox_work (consumer_id, by_lease, work_partition, ordered, due_at, id) WHERE status <> 'leased';
CREATE INDEX IF NOT EXISTS inbox_work_of_key ON inbox_work (consumer_id, work_partition, ordering_key, id) WHERE ordered;
CREATE INDEX IF NOT EXISTS inbox_work_leased ON inbox_work (consumer_id, lease_until) WHERE status = 'leased';
COMMENT ON TABLE inbox_work IS 'Messages that are accepted but unfinished. A payload that is NULL is a tombstone.';
COMMENT ON COLUMN inbox_work.work_partition IS 'The unit of parallelism: from the ordering key, or the message key where there is none.';
COMMENT ON COLUMN inbox_work.ordered IS 'The message must not overtake, nor be overtaken by, others of its ordering key.';
COMMENT ON COLUMN inbox_work.by_lease IS 'It is worked on under a lease, its attempt counted first.';
COMMENT ON COLUMN inbox_work.retried IS 'How many of the attempts were made before somebody gave the message a new beginning.';
COMMENT ON COLUMN inbox_work.retry_since IS 'From when the age counts that the retry policy limits.';

CREATE TABLE IF NOT EXISTS inbox_attempt (
    id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    consumer_id smallint    NOT NULL,
    message_key uuid        NOT NULL,
    number      integer     NOT NULL,
    node        text        NOT NULL,
    started_at  timestamptz NOT NULL,
    duration_ms bigint      NOT NULL,
    error_class text        NOT NULL,
    message     text        NOT NULL,
    stack       text        NOT NULL
);
CREATE INDEX IF NOT EXISTS inbox_attempt_of_message ON inbox_attempt (consumer_id, message_key, number);
COMMENT ON TABLE inbox_attempt IS 'Attempts that failed, of messages in work as well as of dead letters.';

CREATE TABLE IF NOT EXISTS inbox_dead_letter (
    id           bigint      NOT NULL DEFAULT nextval('inbox_arrival') PRIMARY KEY,
    consumer_id  smallint    NOT NULL,
    message_key  uuid        NOT NULL,
    work_partition         smallint    NOT NULL,
    ordered      boolean     NOT NULL,
    by_lease     boolean     NOT NULL,
    blocks       boolean     NOT NULL,
    reason       text        NOT NULL,
    detail       text        NOT NULL,
    claimed      boolean     NOT NULL,
    attempts     integer     NOT NULL,
    seen_again   integer     NOT NULL DEFAULT 0,
    lease_token  bigint      NOT NULL DEFAULT 0,
    received_at  timestamptz NOT NULL,
    died_at      timestamptz NOT NULL,
    source       text        NOT NULL,
    message_id   bytea,
    type         text,
    ordering_key bytea,
    headers      bytea       NOT NULL,
    content_type text,
    payload      bytea,
    origin       text,
    UNIQUE (consumer_id, message_key)
);
CREATE INDEX IF NOT EXISTS inbox_dead_letter_by_time ON inbox_dead_letter (consumer_id, died_at, id);
CREATE INDEX IF NOT EXISTS inbox_dead_letter_blocking ON inbox_dead_letter (consumer_id, work_partition, ordering_key, id) WHERE blocks;
COMMENT ON TABLE inbox_dead_letter IS 'Messages that were given up on, as they came. A payload that is NULL is a tombstone.';
COMMENT ON COLUMN inbox_dead_letter.lease_token IS 'Kept, so that back in work no lease gets a token that an earlier one had.';
COMMENT ON COLUMN inbox_dead_letter.blocks IS 'Those behind it with its ordering key wait until somebody decides about it.';

CREATE TABLE IF NOT EXISTS inbox_start (
    consumer_id smallint    NOT NULL,
    what        text        NOT NULL,
    position    text        NOT NULL,
    started_by  text        NOT NULL,
    starts      integer     NOT NULL,
    started_at  timestamptz NOT NULL,
    PRIMARY KEY (consumer_id, what)
);
COMMENT ON TABLE inbox_start IS 'How many times in a row something was begun at the same position: who dies there again and again?';

-- One row per partition of a log, updated by every batch in place: room for it within the page.
CREATE TABLE IF NOT EXISTS inbox_watermark (
    consumer_id      smallint    NOT NULL,
    source           text        NOT NULL,
    partition_number integer     NOT NULL,
    topic_identity   text        NOT NULL,
    position         bigint      NOT NULL,
    leader_epoch     integer     NOT NULL,
    epoch            bigint      NOT NULL,
    updated_at       timestamptz NOT NULL,
    PRIMARY KEY (consumer_id, source, partition_number)
) WITH (
    fillfactor = 30,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000
);
COMMENT ON TABLE inbox_watermark IS 'Up to where all messages of a partition of a log are accepted, moved in the transaction of their effects.';
COMMENT ON COLUMN inbox_watermark.position IS 'The offset of the next message; -1 where there is none yet, -2 where somebody had it forgotten, -3 where it was given up.';
COMMENT ON COLUMN inbox_watermark.epoch IS 'The number of the assignment: only who acquired the partition last can move the position.';

CREATE TABLE IF NOT EXISTS inbox_audit (
    id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    who         text        NOT NULL,
    reason      text        NOT NULL,
    action      text        NOT NULL,
    consumer    text        NOT NULL,
    message_key uuid,
    detail      text        NOT NULL,
    affected    bigint      NOT NULL
);
CREATE INDEX IF NOT EXISTS inbox_audit_by_consumer ON inbox_audit (consumer, id);
CREATE INDEX IF NOT EXISTS inbox_audit_of_message ON inbox_audit (message_key, id) WHERE message_key IS NOT NULL;
COMMENT ON TABLE inbox_audit IS 'What people did through the admin API, each written in the transaction that did it.';

-- No default partition: with one, days could not be detached while others write.
CREATE TABLE IF NOT EXISTS inbox_history (
    id           bigint      NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    consumer_id  smallint    NOT NULL,
    message_key  uuid        NOT NULL,
    source       text        NOT NULL,
    message_id   bytea,
    type         text,
    ordering_key bytea,
    headers      bytea,
    content_type text,
    payload      bytea,
    origin       text,
    with_payload boolean     NOT NULL,
    attempts     integer     NOT NULL,
    processed_at timestamptz NOT NULL
) PARTITION BY RANGE (processed_at);
CREATE INDEX IF NOT EXISTS inbox_history_of_message ON inbox_history (consumer_id, message_key);
COMMENT ON TABLE inbox_history IS
    'Finished messages, where a consumer asks for it. Without payload headers are NULL too; with it a NULL is a tombstone.';

-- What deletes old rows piece by piece: where each pass is, and which node is at it.
CREATE TABLE IF NOT EXISTS inbox_upkeep (
    task       text        NOT NULL PRIMARY KEY,
    place      text        NOT NULL,
    begun_at   timestamptz NOT NULL,
    next_at    timestamptz NOT NULL,
    busy_until timestamptz NOT NULL,
    deleted    bigint      NOT NULL,
    millis     bigint      NOT NULL
);
COMMENT ON TABLE inbox_upkeep IS 'Where the upkeep of each table is, so that nodes take turns and a killed one leaves nothing half done.';
COMMENT ON COLUMN inbox_upkeep.place IS 'Where the pass under way goes on; empty between two.';
COMMENT ON COLUMN inbox_upkeep.deleted IS 'How many rows this pass, or the last one, deleted, in so many milliseconds.';

-- Held by whoever lets a day of the history go, and by whoever makes a replay: neither must miss the other.
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
VALUES ('history days', '', 'epoch', 'epoch', 'epoch', 0, 0)
ON CONFLICT DO NOTHING;

-- Of a consumer in the order of recording, for replays and the export.
CREATE INDEX IF NOT EXISTS inbox_history_in_order ON inbox_history (consumer_id, id);

CREATE TABLE IF NOT EXISTS inbox_replay (
    name            text        NOT NULL PRIMARY KEY,
    consumer_id     smallint    NOT NULL,
    since_at        timestamptz,
    until_at        timestamptz,
    type            text,
    source          text,
    ordering_key    bytea,
    recovery        boolean     NOT NULL,
    state           text        NOT NULL
        CHECK (state IN ('WAITING', 'RUNNING', 'PAUSED', 'FAILED', 'CANCELLED', 'FINISHED')),
    cutoff          bigint      NOT NULL,
    mark            bigint      NOT NULL,
    position        bigint      NOT NULL,
    total           bigint,
    without_payload bigint,
    done            bigint      NOT NULL,
    skipped         bigint      NOT NULL,
    error           text,
    who             text        NOT NULL,
    reason          text        NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE inbox_replay IS 'Runs over the history. The progress of one moves in the transaction of its handler.';
COMMENT ON COLUMN inbox_replay.cutoff IS 'The last id of the history that belongs to the run.';
COMMENT ON COLUMN inbox_replay.mark IS 'A number of a transaction: the run waits until all with lower ones have ended.';
COMMENT ON COLUMN inbox_replay.position IS 'The id of the history that the run is through with; never goes back.';

CREATE TABLE IF NOT EXISTS inbox_replay_skipped (
    replay      text   NOT NULL,
    place       bigint NOT NULL,
    message_key uuid   NOT NULL,
    error       text   NOT NULL,
    PRIMARY KEY (replay, place)
);
COMMENT ON TABLE inbox_replay_skipped IS 'Messages that failed in a run over the history, and were passed.';

CREATE TABLE IF NOT EXISTS inbox_export (
    history_day date        NOT NULL PRIMARY KEY,
    entries     bigint      NOT NULL,
    exported_at timestamptz NOT NULL
);
COMMENT ON TABLE inbox_export IS 'Days of the history, in UTC, that were exported as a whole.';

CREATE TABLE IF NOT EXISTS inbox_export_mark (
    history_day date        NOT NULL PRIMARY KEY,
    mark        bigint      NOT NULL,
    marked_at   timestamptz NOT NULL
);
COMMENT ON TABLE inbox_export_mark IS 'Days whose export waits until all transactions before the mark have ended.';

-- Archives of this store know it by its id, so that no two stores take each other's days for their own.
CREATE TABLE IF NOT EXISTS inbox_store (
    only_row boolean NOT NULL DEFAULT true PRIMARY KEY CHECK (only_row),
    id       text    NOT NULL
);
COMMENT ON TABLE inbox_store IS 'Who this store is. Never changes.';
INSERT INTO inbox_store (id) VALUES (gen_random_uuid()::text) ON CONFLICT DO NOTHING;

CREATE OR REPLACE VIEW inbox AS
SELECT c.name AS consumer, w.message_key, w.status, w.source, encode(w.message_id, 'escape') AS id, w.type,
       encode(w.ordering_key, 'escape') AS ordering_key,
       w.ordered AND (EXISTS (
           SELECT FROM inbox_work AS e
           WHERE e.consumer_id = w.consumer_id AND e.work_partition = w.work_partition AND e.ordering_key = w.ordering_key AND e.ordered
             AND e.id < w.id
       ) OR EXISTS (
           SELECT FROM inbox_dead_letter AS e
           WHERE e.consumer_id = w.consumer_id AND e.work_partition = w.work_partition AND e.ordering_key = w.ordering_key AND e.blocks
             AND e.id < w.id
       )) AS blocked,
       w.attempts, w.due_at, w.last_error AS error, w.received_at AS since, w.origin
FROM inbox_work AS w
JOIN inbox_consumer AS c ON c.id = w.consumer_id
UNION ALL
SELECT c.name, d.message_key, 'dead', d.source, encode(d.message_id, 'escape'), d.type,
       encode(d.ordering_key, 'escape'), false, d.attempts, NULL, d.reason || ': ' || d.detail,
       d.died_at, d.origin
FROM inbox_dead_letter AS d
JOIN inbox_consumer AS c ON c.id = d.consumer_id
UNION ALL
SELECT c.name, l.message_key,
       CASE WHEN EXISTS (
           SELECT FROM inbox_audit AS a
           WHERE a.message_key = l.message_key AND a.consumer = c.name AND a.action = 'DISCARD'
             AND a.at >= l.accepted_at AND (h.processed_at IS NULL OR a.at >= h.processed_at)
       ) THEN 'discarded' ELSE 'processed' END, h.source, encode(h.message_id, 'escape'), h.type,
       encode(h.ordering_key, 'escape'), false, h.attempts, NULL, NULL,
       l.accepted_at, h.origin
FROM inbox_ledger AS l
JOIN inbox_consumer AS c ON c.id = l.consumer_id
LEFT JOIN inbox_history AS h ON h.consumer_id = l.consumer_id AND h.message_key = l.message_key
WHERE NOT EXISTS (SELECT FROM inbox_work AS w WHERE w.consumer_id = l.consumer_id AND w.message_key = l.message_key)
  AND NOT EXISTS (SELECT FROM inbox_dead_letter AS d WHERE d.consumer_id = l.consumer_id AND d.message_key = l.message_key)
UNION ALL
SELECT c.name, h.message_key, 'processed', h.source, encode(h.message_id, 'escape'), h.type,
       encode(h.ordering_key, 'escape'), false, h.attempts, NULL, NULL,
       h.processed_at, h.origin
FROM inbox_history AS h
JOIN inbox_consumer AS c ON c.id = h.consumer_id
WHERE NOT EXISTS (SELECT FROM inbox_ledger AS l WHERE l.consumer_id = h.consumer_id AND l.message_key = h.message_key)
  AND NOT EXISTS (SELECT FROM inbox_work AS w WHERE w.consumer_id = h.consumer_id AND w.message_key = h.message_key)
  AND NOT EXISTS (SELECT FROM inbox_dead_letter AS d WHERE d.consumer_id = h.consumer_id AND d.message_key = h.message_key);
COMMENT ON VIEW inbox IS 'Every message with its status. Source and id of processed messages are known where a history is kept.';

INSERT INTO inbox_schema (version) VALUES (1) ON CONFLICT DO NOTHING;
