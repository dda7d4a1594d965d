-- Whether all transactions have ended that may have recorded something, by PostgreSQL's numbers of transactions.

-- name: mark
SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)

-- name: is_past
-- A number that no transaction has been given yet is of another cluster, from which the database was restored: those that it stands for
-- are not here.
SELECT n.mark < CAST(CAST(pg_snapshot_xmin(n.now) AS text) AS bigint)
    OR n.mark >= CAST(CAST(pg_snapshot_xmax(n.now) AS text) AS bigint)
FROM (SELECT CAST(:mark AS bigint) AS mark, pg_current_snapshot() AS now) AS n
