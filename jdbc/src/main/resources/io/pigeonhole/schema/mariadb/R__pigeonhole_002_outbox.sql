-- Pigeonhole, schema version 2, for MariaDB 10.6 and MySQL 8.0.13 and later: messages to send. docs/outbox.md explains it to people.
-- Each statement can be repeated.

CREATE TABLE IF NOT EXISTS outbox_message (
    position       BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'The order in which messages were appended.',
    destination    VARCHAR(180) NOT NULL,
    work_partition SMALLINT     NOT NULL COMMENT 'The unit of parallelism: from the ordering key, or the id where there is none.',
    id             CHAR(36)     CHARACTER SET ascii NOT NULL,
    ordering_key   VARBINARY(1024),
    type           VARCHAR(255),
    headers        LONGBLOB     NOT NULL,
    content_type   VARCHAR(255),
    payload        LONGBLOB,
    created_at     DATETIME(6)  NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    KEY outbox_message_to_publish (destination, work_partition, position)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */
  COMMENT = 'Messages to send, until a relay has published them. A payload that is NULL is a tombstone.';

CREATE TABLE IF NOT EXISTS outbox_order (
    bucket SMALLINT NOT NULL PRIMARY KEY
) ENGINE = InnoDB COMMENT = 'Rows that are locked instead of ordering keys, where transactions that append to one wait for each other.';

INSERT INTO outbox_order (bucket)
SELECT a.digit + 8 * b.digit + 64 * c.digit + 512 * d.digit
FROM (SELECT 0 AS digit UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) AS a
CROSS JOIN (SELECT 0 AS digit UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) AS b
CROSS JOIN (SELECT 0 AS digit UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) AS c
CROSS JOIN (SELECT 0 AS digit UNION SELECT 1) AS d
WHERE NOT EXISTS (SELECT 1 FROM outbox_order);

INSERT INTO inbox_schema (version, installed_at)
SELECT 2, UTC_TIMESTAMP(6) FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT 1 FROM inbox_schema WHERE version = 2);
