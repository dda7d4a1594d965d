-- What transactions begin and end with.

-- part: short_settings
-- What a transaction of the store's own sets, away from the engine. The catalog is read as we compare it. A statement of ours that is
-- cancelled would be so each time anew: where the session has a limit for statements, which is meant for the application's, ours have
-- that one, but ten minutes at least.
SET LOCAL lock_timeout = '2s';
SET LOCAL idle_in_transaction_session_timeout = '60s';
SET LOCAL quote_all_identifiers = off;
SET LOCAL synchronous_commit = 'on';
SELECT set_config('statement_timeout', CASE current_setting('statement_timeout') WHEN '0' THEN '0'
    ELSE CAST(CAST(extract(epoch FROM greatest(interval '10 minutes', CAST(current_setting('statement_timeout') AS interval))) * 1000 AS bigint) AS text)
    END, true)

-- name: short
SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;
{short_settings}

-- name: short_read
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
{short_settings}

-- name: search_path
-- Formatted with: the schema's quoted name as a string.
SELECT set_config('search_path', concat_ws(', ', %s, nullif(current_setting('search_path'), '')), true)

-- name: is_primary
SELECT NOT pg_is_in_recovery()
