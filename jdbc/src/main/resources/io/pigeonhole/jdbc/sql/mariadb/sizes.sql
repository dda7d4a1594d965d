-- Where MariaDB differs from the standard.

-- name: tables
SELECT table_name, table_rows, data_length + index_length
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'
