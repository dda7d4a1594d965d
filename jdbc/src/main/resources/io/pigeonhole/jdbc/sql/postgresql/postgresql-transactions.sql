-- What transactions begin and end with.

-- part: begin
{set_level};
{settings}
{from_before}

-- name: begin
{begin}

-- name: begin_and_set_savepoint
{begin};
SAVEPOINT pigeonhole

-- name: set_savepoint
SAVEPOINT pigeonhole

-- name: set_next_savepoint
RELEASE SAVEPOINT pigeonhole; SAVEPOINT pigeonhole

-- name: roll_back_to_savepoint
ROLLBACK TO SAVEPOINT pigeonhole

-- name: is_changed
SELECT NOT ({as_before})

-- part: temporary
-- What is made by a statement of its own, and does not go with its table.
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.oid = pg_my_temp_schema() AND c.relkind IN ('r', 'p', 'v', 'S')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                  WHERE d.classid = CAST('pg_catalog.pg_class' AS regclass) AND d.objid = c.oid AND d.deptype IN ('a', 'i'))

-- name: temporary_tables
SELECT coalesce(string_agg(CAST(c.oid AS text), ', '), '0')
{temporary}

-- name: new_temporary_tables
-- Formatted with: the numbers of those that were there before.
CLOSE ALL;
SELECT 'DROP ' || CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END
    || ' IF EXISTS ' || quote_ident(n.nspname) || '.' || quote_ident(c.relname) || ' CASCADE',
    pg_has_role(c.relowner, 'USAGE')
{temporary}
  AND c.oid NOT IN (%s)

-- name: restore
-- Who the session is comes first, because it takes the role along. What a handler has set for the whole session is undone for the whole
-- session; what the engine has set is for the transaction.
SELECT CASE WHEN current_setting('session_authorization') <> s.v[1]
            THEN set_config('session_authorization', s.v[1], false) END,
       CASE WHEN current_setting('role') <> s.v[2] THEN set_config('role', s.v[2], false) END,
       CASE WHEN current_setting('search_path') <> s.v[3] THEN set_config('search_path', s.v[3], false) END,
       CASE WHEN current_setting('row_security') <> s.v[4] THEN set_config('row_security', s.v[4], false) END,
       CASE WHEN current_setting('statement_timeout') <> s.v[5]
            THEN set_config('statement_timeout', {statement_timeout_before}, false) END,
       set_config('statement_timeout', s.v[5], true),
       CASE WHEN current_setting('lock_timeout') <> s.v[6] THEN set_config('lock_timeout', s.v[6], false) END,
       CASE WHEN current_setting('synchronous_commit') <> s.v[7]
            THEN set_config('synchronous_commit', {synchronous_commit_before}, false) END,
       set_config('synchronous_commit', s.v[7], true),
       CASE WHEN current_setting('idle_in_transaction_session_timeout') <> s.v[8]
            THEN set_config('idle_in_transaction_session_timeout', {idle_limit_before}, false) END,
       set_config('idle_in_transaction_session_timeout', s.v[8], true)
FROM (SELECT string_to_array(nullif(current_setting('pigeonhole.session'), ''), {separator}) AS v OFFSET 0) AS s
WHERE s.v IS NOT NULL

-- name: lift_handlers_limit
-- For a lock a statement of ours waits no longer than a handler may, but two seconds at least.
SELECT set_config('lock_timeout', CAST(CAST(extract(epoch FROM greatest(interval '2 seconds',
    CAST(CASE current_setting('lock_timeout') WHEN '0' THEN current_setting('statement_timeout')
        ELSE current_setting('lock_timeout') END AS interval))) * 1000 AS bigint) AS text), true);
SELECT {own_limit}

-- name: set_handlers_limit
SELECT {handlers_limits}

-- name: lift_limit_of_search
SELECT {own_limit}

-- name: set_limit_behind_search
SELECT {handlers_limit}

-- name: check_constraints
-- Undone at once, so that constraints are deferred again exactly as they were.
SAVEPOINT pigeonhole_check;
SET CONSTRAINTS ALL IMMEDIATE;
ROLLBACK TO SAVEPOINT pigeonhole_check;
RELEASE SAVEPOINT pigeonhole_check

-- name: fire_constraints
-- What constraints wait for until the commit they wait for before it, while the limit holds; their triggers run here.
SET CONSTRAINTS ALL IMMEDIATE

-- name: commit
-- Fails with 25P02 where a statement has failed unseen: COMMIT alone would answer ROLLBACK and no error. Goes behind fire_constraints.
SELECT {proof} END, {before_commit};
COMMIT

-- part: short_settings
-- What a transaction of the store's own sets, away from the engine. The catalog is read as we compare it. The limit for statements is
-- as own_limit says, of what the session has, because nothing is kept.
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

-- name: lock_row
SELECT pg_try_advisory_xact_lock(hashtextextended('pigeonhole request ' || current_schema() || ' ' || :row_key, 0))

-- name: is_primary
SELECT NOT pg_is_in_recovery()
