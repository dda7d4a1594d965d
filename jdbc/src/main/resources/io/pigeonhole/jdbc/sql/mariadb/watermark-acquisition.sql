-- Where MariaDB differs from the standard: many lock a row together.

-- name: deduplication
SELECT deduplication FROM inbox_consumer WHERE id = :consumer LOCK IN SHARE MODE
