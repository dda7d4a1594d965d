-- What several statements of MariaDB have in common.

-- part: as_listed
-- A list of a thousand ids would become a join otherwise, which reads and so locks the whole table.
SET STATEMENT in_predicate_conversion_threshold = 0 FOR

-- part: unlimited
-- The session's own limit is meant for the application's statements: that one, but at least ten minutes.
SET STATEMENT max_statement_time = IF(@pigeonhole_statement > 0, GREATEST(@pigeonhole_statement, 600), 0), in_predicate_conversion_threshold = 0 FOR
