-- Pigeonhole, schema version 2, for H2 2.2.220 and later: a place for what comes there.

INSERT INTO inbox_schema (version, installed_at)
SELECT 2, DATEADD(MICROSECOND, CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT), TIMESTAMP '1970-01-01 00:00:00')
WHERE NOT EXISTS (SELECT 1 FROM inbox_schema WHERE version = 2);
