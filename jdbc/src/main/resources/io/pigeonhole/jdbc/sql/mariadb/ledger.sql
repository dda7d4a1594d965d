-- What MariaDB says otherwise: see the file of the standard.

-- name: now
SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))

-- name: is_writable
SELECT NOT @@global.read_only AND NOT @@global.innodb_read_only

-- name: hold_bounds
{bounds} LOCK IN SHARE MODE
