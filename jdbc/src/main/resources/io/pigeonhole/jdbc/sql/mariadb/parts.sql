-- What several statements of MariaDB have in common.

-- part: as_listed
-- A list of a thousand ids would become a join otherwise, which reads and so locks the whole table.
SET STATEMENT in_predicate_conversion_threshold = 0 FOR

-- part: unlimited
-- The session's own limit is meant for the application's statements: that one, but at least ten minutes.
SET STATEMENT max_statement_time = IF(@pigeonhole_statement > 0, GREATEST(@pigeonhole_statement, 600), 0), in_predicate_conversion_threshold = 0 FOR

-- part: by_primary_key
-- On a small table the optimizer would rather read, and lock, all of it. A list has to be one of whole keys besides: where the first
-- columns of a key are equal to something, the optimizer may look for these only, whatever is forced.
FORCE INDEX (PRIMARY)

-- part: at_once
-- Somebody may have locked the entry of another index than that by which the row is locked.
SET STATEMENT innodb_lock_wait_timeout = 0 FOR

-- part: sorted
-- Where such a query is cancelled, MariaDB may answer without a row and without an error; as a derived table it says so. See
-- StatementsOfMariaDbTest.
SELECT * FROM (

-- part: end_of_sorted
) AS sorted

-- part: by_id
-- As a temporary table with texts in it, the derived table is not read in the order in which it was written.
ORDER BY id

-- part: by_id_desc
ORDER BY id DESC

-- part: by_due_at
ORDER BY due_at, id

-- part: by_lease_until
ORDER BY lease_until, id

-- part: by_died_at
ORDER BY died_at, id

-- part: by_died_at_desc
ORDER BY died_at DESC, id DESC

-- part: by_waiting
ORDER BY waiting DESC, id

-- part: by_place
ORDER BY place

-- part: by_position
ORDER BY position

-- part: by_key
ORDER BY message_key

-- part: by_day
ORDER BY history_day

-- part: by_expires_at
ORDER BY expires_at

-- part: by_resume_at
ORDER BY resume_at
