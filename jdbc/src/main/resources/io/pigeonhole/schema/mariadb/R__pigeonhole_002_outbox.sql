-- Pigeonhole, schema version 2, for MariaDB 10.6 and MySQL 8.0 and later: a place for what comes there.

INSERT INTO inbox_schema (version, installed_at)
SELECT 2, UTC_TIMESTAMP(6) FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT 1 FROM inbox_schema WHERE version = 2);
