-- What MariaDB says otherwise: see the file of the standard.

-- name: now
SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))

-- name: is_writable
-- From MariaDB 12 on the first is a text: OFF, ON and others.
SELECT CAST(@@global.read_only AS CHAR) IN ('0', 'OFF') AND NOT @@global.innodb_read_only

-- name: hold_bounds
{bounds} LOCK IN SHARE MODE
