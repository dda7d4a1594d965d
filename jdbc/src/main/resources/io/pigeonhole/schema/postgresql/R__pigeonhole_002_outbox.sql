-- Pigeonhole, schema version 2, for PostgreSQL 13 and later: a place for what comes there.

INSERT INTO inbox_schema (version) VALUES (2) ON CONFLICT DO NOTHING;
