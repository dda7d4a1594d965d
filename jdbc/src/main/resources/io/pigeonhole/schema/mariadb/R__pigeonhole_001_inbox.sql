-- Pigeonhole, schema version 1, for MariaDB 10.6 and MySQL 8.0 and later. Everything is created in the current database.
-- docs/tables.md explains the tables to people. All instants are in UTC, all times of day the database's.
-- Definitions commit by themselves: each of them can be repeated, so that a run that was interrupted is completed by the next.
-- Text compares byte by byte, trailing blanks included. The days of the ledger and of the history are not here: they are
-- data, created by Schema.apply and by every node.

CREATE TABLE IF NOT EXISTS inbox_schema (
    version      INTEGER     NOT NULL PRIMARY KEY,
    installed_at DATETIME(6) NOT NULL
) ENGINE = InnoDB COMMENT = 'The versions of this schema that are installed.';

CREATE TABLE IF NOT EXISTS inbox_consumer (
    id            SMALLINT     NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name          VARCHAR(200) NOT NULL,
    id_form       VARCHAR(40)  NOT NULL,
    digest_below  BIGINT       NOT NULL COMMENT 'Ids made before this many milliseconds since 1970 get keys in digest form. Never changes: docs/message-key.md',
    key_order     VARCHAR(40)  NOT NULL,
    work_partitions         SMALLINT     NOT NULL,
    paused        BOOLEAN      NOT NULL DEFAULT FALSE COMMENT 'Nothing is claimed, taken or leased while it is true. Changed by the admin API.',
    registered_at DATETIME(6)  NOT NULL,
    deduplication VARCHAR(40)  DEFAULT 'IDS' NOT NULL COMMENT 'How accepted messages are distinguished from new ones. Changed by the admin API.',
    UNIQUE KEY inbox_consumer_name (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'The consumers, so that every other row holds two bytes and not a name.';

CREATE TABLE IF NOT EXISTS inbox_work_partition (
    consumer_id SMALLINT   NOT NULL,
    kind        VARCHAR(5) NOT NULL,
    work_partition        SMALLINT   NOT NULL,
    PRIMARY KEY (consumer_id, kind, work_partition)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Rows that are locked instead of work partitions: store by those who store messages, work by those who work.';

-- One insert per accepted message, never updated. The key begins with the time of the id, so that days are ranges of it.
-- A partition cannot be added behind the one of the keys without a time: days are split off the empty gap before it.
CREATE TABLE IF NOT EXISTS inbox_ledger (
    consumer_id  SMALLINT    NOT NULL,
    message_key  BINARY(16)  NOT NULL,
    accepted_at  DATETIME(6) NOT NULL,
    payload_hash BINARY(16)  COMMENT 'Kept where the consumer asks for it, to distinguish another payload from a duplicate.',
    PRIMARY KEY (consumer_id, message_key)
) ENGINE = InnoDB COMMENT = 'The keys of all accepted messages: this consumer has taken responsibility for this message.'
  PARTITION BY RANGE COLUMNS (message_key) (
    PARTITION gap VALUES LESS THAN (x'ff000000000000000000000000000000'),
    PARTITION digest VALUES LESS THAN (MAXVALUE)
  );

CREATE TABLE IF NOT EXISTS inbox_ledger_bounds (
    only_row BOOLEAN    NOT NULL DEFAULT TRUE PRIMARY KEY,
    oldest   BINARY(16) NOT NULL,
    newest   BINARY(16) NOT NULL,
    CHECK (only_row),
    CHECK (oldest <= newest)
) ENGINE = InnoDB COMMENT = 'The ledger accepts keys in time form from oldest (included) to newest (excluded).';

-- The ledger begins today, and has no day yet.
INSERT INTO inbox_ledger_bounds (only_row, oldest, newest)
SELECT TRUE, today.first_key, today.first_key
FROM (
    SELECT UNHEX(RPAD(LPAD(HEX(TIMESTAMPDIFF(DAY, '1970-01-01', UTC_TIMESTAMP()) * 86400000), 12, '0'), 32, '0')) AS first_key
) AS today
WHERE NOT EXISTS (SELECT 1 FROM inbox_ledger_bounds);

-- Ages count from trusted_at, which follows the clock but never jumps: docs/retention.md
CREATE TABLE IF NOT EXISTS inbox_clock (
    only_row   BOOLEAN     NOT NULL DEFAULT TRUE PRIMARY KEY,
    seen_at    DATETIME(6) NOT NULL,
    trusted_at DATETIME(6) NOT NULL,
    CHECK (only_row)
) ENGINE = InnoDB COMMENT = 'From when ages count for retention. Set by the admin API.';

INSERT INTO inbox_clock (only_row, seen_at, trusted_at)
SELECT TRUE, this.moment, this.moment FROM (SELECT UTC_TIMESTAMP(6) AS moment) AS this
WHERE NOT EXISTS (SELECT 1 FROM inbox_clock);

-- Each program says how long it wants something remembered; the longest holds for all.
CREATE TABLE IF NOT EXISTS inbox_retention (
    what         VARCHAR(20) NOT NULL,
    millis       BIGINT      NOT NULL,
    confirmed_at DATETIME(6) NOT NULL,
    PRIMARY KEY (what, millis)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'How long programs want to remember what. A row that none confirms for that long is deleted.';

-- Small and hot. Its ids are the order of arrival: a message keeps its place when it goes to the dead letters and back.
CREATE TABLE IF NOT EXISTS inbox_work (
    id            BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    consumer_id   SMALLINT    NOT NULL,
    message_key   BINARY(16)  NOT NULL,
    work_partition          SMALLINT    NOT NULL COMMENT 'The unit of parallelism: from the ordering key, or the message key where there is none.',
    ordered       BOOLEAN     NOT NULL COMMENT 'The message must not overtake, nor be overtaken by, others of its ordering key.',
    ordering_hash BINARY(16)  COMMENT 'The first 16 bytes of the SHA-256 of the ordering key, where the message is ordered.',
    by_lease      BOOLEAN     NOT NULL COMMENT 'It is worked on under a lease, its attempt counted first.',
    status        VARCHAR(10) NOT NULL,
    attempts      INTEGER     NOT NULL,
    retried       INTEGER     NOT NULL DEFAULT 0 COMMENT 'How many of the attempts were made before somebody gave the message a new beginning.',
    due_at        DATETIME(6) NOT NULL,
    lease_token   BIGINT      NOT NULL DEFAULT 0,
    lease_owner   TEXT,
    leased_at     DATETIME(6),
    lease_until   DATETIME(6),
    received_at   DATETIME(6) NOT NULL,
    retry_since   DATETIME(6) NOT NULL COMMENT 'From when the age counts that the retry policy limits.',
    updated_at    DATETIME(6) NOT NULL,
    last_error    MEDIUMTEXT,
    source        TEXT        NOT NULL,
    message_id    MEDIUMBLOB,
    type          MEDIUMTEXT,
    ordering_key  MEDIUMBLOB,
    headers       LONGBLOB    NOT NULL,
    content_type  MEDIUMTEXT,
    payload       LONGBLOB,
    origin        MEDIUMTEXT,
    UNIQUE KEY inbox_work_key (consumer_id, message_key),
    KEY inbox_work_due (consumer_id, by_lease, work_partition, ordered, due_at, id),
    KEY inbox_work_of_key (consumer_id, work_partition, ordering_hash, id),
    KEY inbox_work_leased (consumer_id, status, lease_until, id),
    CHECK (status IN ('received', 'parked', 'leased')),
    CHECK ((status = 'leased') = (lease_until IS NOT NULL))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Messages that are accepted but unfinished. A payload that is NULL is a tombstone.';

CREATE TABLE IF NOT EXISTS inbox_attempt (
    id          BIGINT      NOT NULL AUTO_INCREMENT PRIMARY KEY,
    consumer_id SMALLINT    NOT NULL,
    message_key BINARY(16)  NOT NULL,
    number      INTEGER     NOT NULL,
    node        TEXT        NOT NULL,
    started_at  DATETIME(6) NOT NULL,
    duration_ms BIGINT      NOT NULL,
    error_class TEXT        NOT NULL,
    message     MEDIUMTEXT  NOT NULL,
    stack       MEDIUMTEXT  NOT NULL,
    KEY inbox_attempt_of_message (consumer_id, message_key, number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Attempts that failed, of messages in work as well as of dead letters.';

CREATE TABLE IF NOT EXISTS inbox_dead_letter (
    id            BIGINT      NOT NULL PRIMARY KEY,
    consumer_id   SMALLINT    NOT NULL,
    message_key   BINARY(16)  NOT NULL,
    work_partition          SMALLINT    NOT NULL,
    ordered       BOOLEAN     NOT NULL,
    ordering_hash BINARY(16),
    by_lease      BOOLEAN     NOT NULL,
    blocks        BOOLEAN     NOT NULL COMMENT 'Those behind it with its ordering key wait until somebody decides about it.',
    reason        VARCHAR(40) NOT NULL,
    detail        MEDIUMTEXT  NOT NULL,
    claimed       BOOLEAN     NOT NULL,
    attempts      INTEGER     NOT NULL,
    seen_again    INTEGER     NOT NULL DEFAULT 0,
    lease_token   BIGINT      NOT NULL DEFAULT 0 COMMENT 'Kept, so that back in work no lease gets a token that an earlier one had.',
    received_at   DATETIME(6) NOT NULL,
    died_at       DATETIME(6) NOT NULL,
    source        TEXT        NOT NULL,
    message_id    MEDIUMBLOB,
    type          MEDIUMTEXT,
    ordering_key  MEDIUMBLOB,
    headers       LONGBLOB    NOT NULL,
    content_type  MEDIUMTEXT,
    payload       LONGBLOB,
    origin        MEDIUMTEXT,
    UNIQUE KEY inbox_dead_letter_key (consumer_id, message_key),
    KEY inbox_dead_letter_by_time (consumer_id, died_at, id),
    KEY inbox_dead_letter_blocking (consumer_id, work_partition, ordering_hash, blocks, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Messages that were given up on, as they came. A payload that is NULL is a tombstone.';

CREATE TABLE IF NOT EXISTS inbox_start (
    consumer_id SMALLINT     NOT NULL,
    what        VARCHAR(300) NOT NULL,
    position    VARCHAR(300) NOT NULL,
    started_by  VARCHAR(100) NOT NULL,
    starts      INTEGER      NOT NULL,
    started_at  DATETIME(6)  NOT NULL,
    PRIMARY KEY (consumer_id, what)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'How many times in a row something was begun at the same position: who dies there again and again?';

CREATE TABLE IF NOT EXISTS inbox_watermark (
    consumer_id      SMALLINT     NOT NULL,
    source           VARCHAR(300) NOT NULL,
    partition_number INTEGER      NOT NULL,
    topic_identity   VARCHAR(300) NOT NULL,
    position         BIGINT       NOT NULL,
    leader_epoch     INTEGER      NOT NULL,
    epoch            BIGINT       NOT NULL,
    updated_at       DATETIME(6)  NOT NULL,
    PRIMARY KEY (consumer_id, source, partition_number)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Up to where all messages of a partition of a log are accepted, moved in the transaction of their effects.';

CREATE TABLE IF NOT EXISTS inbox_audit (
    id          BIGINT        NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at          DATETIME(6)   NOT NULL,
    who         VARCHAR(200)  NOT NULL,
    reason      VARCHAR(1000) NOT NULL,
    action      VARCHAR(40)   NOT NULL,
    consumer    VARCHAR(200)  NOT NULL,
    message_key BINARY(16),
    detail      TEXT          NOT NULL,
    affected    BIGINT        NOT NULL,
    KEY inbox_audit_by_consumer (consumer, id),
    KEY inbox_audit_of_message (message_key, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'What people did through the admin API, each written in the transaction that did it.';

-- Days are split off the last partition, which catches what comes when nobody created its day.
CREATE TABLE IF NOT EXISTS inbox_history (
    id           BIGINT      NOT NULL AUTO_INCREMENT,
    consumer_id  SMALLINT    NOT NULL,
    message_key  BINARY(16)  NOT NULL,
    source       TEXT        NOT NULL,
    message_id   MEDIUMBLOB,
    type         MEDIUMTEXT,
    ordering_key MEDIUMBLOB,
    headers      LONGBLOB,
    content_type MEDIUMTEXT,
    payload      LONGBLOB,
    origin       MEDIUMTEXT,
    with_payload BOOLEAN     NOT NULL,
    attempts     INTEGER     NOT NULL,
    processed_at DATETIME(6) NOT NULL,
    PRIMARY KEY (id, processed_at),
    KEY inbox_history_of_message (consumer_id, message_key),
    KEY inbox_history_in_order (consumer_id, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Finished messages, where a consumer asks for it. Without payload headers are NULL too.'
  PARTITION BY RANGE COLUMNS (processed_at) (
    PARTITION later VALUES LESS THAN (MAXVALUE)
  );

-- What deletes old rows piece by piece: where each pass is, and which node is at it.
CREATE TABLE IF NOT EXISTS inbox_upkeep (
    task       VARCHAR(200) NOT NULL PRIMARY KEY,
    place      VARCHAR(200) NOT NULL COMMENT 'Where the pass under way goes on; empty between two.',
    begun_at   DATETIME(6)  NOT NULL,
    next_at    DATETIME(6)  NOT NULL,
    busy_until DATETIME(6)  NOT NULL,
    deleted    BIGINT       NOT NULL COMMENT 'How many rows this pass, or the last one, deleted, in so many milliseconds.',
    millis     BIGINT       NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Where the upkeep of each table is, so that nodes take turns and a killed one leaves nothing half done.';

-- Held by whoever lets a day of the history go, and by whoever makes a replay: neither must miss the other.
INSERT INTO inbox_upkeep (task, place, begun_at, next_at, busy_until, deleted, millis)
SELECT 'history days', '', epoch.at, epoch.at, epoch.at, 0, 0
FROM (SELECT TIMESTAMP '1970-01-02 00:00:00' AS at) AS epoch
WHERE NOT EXISTS (SELECT 1 FROM inbox_upkeep WHERE task = 'history days');

CREATE TABLE IF NOT EXISTS inbox_replay (
    name            VARCHAR(200) NOT NULL PRIMARY KEY,
    consumer_id     SMALLINT NOT NULL,
    since_at        DATETIME(6),
    until_at        DATETIME(6),
    type            MEDIUMTEXT,
    source          MEDIUMTEXT,
    ordering_key    MEDIUMBLOB,
    recovery        BOOLEAN NOT NULL,
    state           VARCHAR(10) NOT NULL,
    cutoff          BIGINT NOT NULL COMMENT 'The last id of the history that belongs to the run.',
    mark            BIGINT NOT NULL,
    position        BIGINT NOT NULL COMMENT 'The id of the history that the run is through with; never goes back.',
    total           BIGINT,
    without_payload BIGINT,
    done            BIGINT NOT NULL,
    skipped         BIGINT NOT NULL,
    error           MEDIUMTEXT,
    who             VARCHAR(200) NOT NULL,
    reason          VARCHAR(1000) NOT NULL,
    created_at      DATETIME(6) NOT NULL,
    updated_at      DATETIME(6) NOT NULL,
    CHECK (state IN ('WAITING', 'RUNNING', 'PAUSED', 'FAILED', 'CANCELLED', 'FINISHED'))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Runs over the history. The progress of one moves in the transaction of its handler.';

CREATE TABLE IF NOT EXISTS inbox_replay_skipped (
    replay      VARCHAR(200) NOT NULL,
    place       BIGINT NOT NULL,
    message_key BINARY(16) NOT NULL,
    error       MEDIUMTEXT NOT NULL,
    PRIMARY KEY (replay, place)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Messages that failed in a run over the history, and were passed.';

CREATE TABLE IF NOT EXISTS inbox_export (
    history_day DATE NOT NULL PRIMARY KEY,
    entries     BIGINT NOT NULL,
    exported_at DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Days of the history, in UTC, that were exported as a whole.';

CREATE TABLE IF NOT EXISTS inbox_export_mark (
    history_day DATE NOT NULL PRIMARY KEY,
    mark        BIGINT NOT NULL,
    marked_at   DATETIME(6) NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Days whose export waits until all transactions before the mark have ended.';

-- Archives of this store know it by its id, so that no two stores take each other's days for their own.
CREATE TABLE IF NOT EXISTS inbox_store (
    only_row BOOLEAN     NOT NULL DEFAULT TRUE PRIMARY KEY,
    id       VARCHAR(40) NOT NULL,
    CHECK (only_row)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Who this store is. Never changes.';

INSERT INTO inbox_store (only_row, id)
SELECT TRUE, this.id FROM (SELECT UUID() AS id) AS this
WHERE NOT EXISTS (SELECT 1 FROM inbox_store);

-- Every message with its status, for a person. Source and id of processed messages are known where a history is kept. Bytes
-- that are no text in UTF-8 show as question marks.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW inbox AS
SELECT c.name AS consumer, INSERT(INSERT(INSERT(INSERT(LOWER(HEX(w.message_key)), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-') AS message_key, w.status, w.source,
       CONVERT(w.message_id USING utf8mb4) AS id, w.type, CONVERT(w.ordering_key USING utf8mb4) AS ordering_key,
       w.ordered AND (EXISTS (
           SELECT 1 FROM inbox_work AS e
           WHERE e.consumer_id = w.consumer_id AND e.work_partition = w.work_partition AND e.ordering_hash = w.ordering_hash AND e.id < w.id
       ) OR EXISTS (
           SELECT 1 FROM inbox_dead_letter AS e
           WHERE e.consumer_id = w.consumer_id AND e.work_partition = w.work_partition AND e.ordering_hash = w.ordering_hash AND e.blocks
             AND e.id < w.id
       )) AS blocked,
       w.attempts, w.due_at, w.last_error AS error, w.received_at AS since, w.origin
FROM inbox_work AS w
JOIN inbox_consumer AS c ON c.id = w.consumer_id
UNION ALL
SELECT c.name, INSERT(INSERT(INSERT(INSERT(LOWER(HEX(d.message_key)), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'), 'dead', d.source, CONVERT(d.message_id USING utf8mb4), d.type,
       CONVERT(d.ordering_key USING utf8mb4), FALSE, d.attempts, NULL, CONCAT(d.reason, ': ', d.detail),
       d.died_at, d.origin
FROM inbox_dead_letter AS d
JOIN inbox_consumer AS c ON c.id = d.consumer_id
UNION ALL
SELECT c.name, INSERT(INSERT(INSERT(INSERT(LOWER(HEX(l.message_key)), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'),
       CASE WHEN EXISTS (
           SELECT 1 FROM inbox_audit AS a
           WHERE a.message_key = l.message_key AND a.consumer = c.name AND a.action = 'DISCARD'
             AND a.at >= l.accepted_at AND (h.processed_at IS NULL OR a.at >= h.processed_at)
       ) THEN 'discarded' ELSE 'processed' END, h.source, CONVERT(h.message_id USING utf8mb4), h.type,
       CONVERT(h.ordering_key USING utf8mb4), FALSE, h.attempts, NULL, NULL,
       l.accepted_at, h.origin
FROM inbox_ledger AS l
JOIN inbox_consumer AS c ON c.id = l.consumer_id
LEFT JOIN inbox_history AS h ON h.consumer_id = l.consumer_id AND h.message_key = l.message_key
WHERE NOT EXISTS (
        SELECT 1 FROM inbox_work AS w WHERE w.consumer_id = l.consumer_id AND w.message_key = l.message_key
    ) AND NOT EXISTS (
        SELECT 1 FROM inbox_dead_letter AS d WHERE d.consumer_id = l.consumer_id AND d.message_key = l.message_key
    )
UNION ALL
SELECT c.name, INSERT(INSERT(INSERT(INSERT(LOWER(HEX(h.message_key)), 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'), 'processed', h.source,
       CONVERT(h.message_id USING utf8mb4), h.type, CONVERT(h.ordering_key USING utf8mb4), FALSE, h.attempts, NULL, NULL,
       h.processed_at, h.origin
FROM inbox_history AS h
JOIN inbox_consumer AS c ON c.id = h.consumer_id
WHERE NOT EXISTS (
        SELECT 1 FROM inbox_ledger AS l WHERE l.consumer_id = h.consumer_id AND l.message_key = h.message_key
    ) AND NOT EXISTS (
        SELECT 1 FROM inbox_work AS w WHERE w.consumer_id = h.consumer_id AND w.message_key = h.message_key
    ) AND NOT EXISTS (
        SELECT 1 FROM inbox_dead_letter AS d WHERE d.consumer_id = h.consumer_id AND d.message_key = h.message_key
    );

INSERT INTO inbox_schema (version, installed_at)
SELECT 1, UTC_TIMESTAMP(6) FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT 1 FROM inbox_schema WHERE version = 1);
