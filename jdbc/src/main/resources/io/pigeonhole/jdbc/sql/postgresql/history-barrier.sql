-- Whether all transactions have ended that may have recorded something, by PostgreSQL's numbers of transactions.

-- name: mark
SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)

-- name: is_past
-- A number that no transaction has been given yet is of another cluster, from which the database was restored: those that it stands for
-- are not here.
SELECT n.mark < CAST(CAST(pg_snapshot_xmin(n.now) AS text) AS bigint)
    OR n.mark >= CAST(CAST(pg_snapshot_xmax(n.now) AS text) AS bigint)
FROM (SELECT CAST(:mark AS bigint) AS mark, pg_current_snapshot() AS now) AS n

-- name: is_past_here
-- The same for this database only, where the numbers do not say so: they are of one row for all databases of the server. Each older
-- transaction that is seen to be another database's is none of those. One of which that is not seen, such as for want of rights or
-- because it has just ended, may be.
SELECT NOT EXISTS (
    SELECT
    FROM pg_snapshot_xip(n.now) AS older (id)
    WHERE CAST(CAST(older.id AS text) AS bigint) <= n.mark
        AND NOT EXISTS (
            SELECT FROM pg_stat_activity AS a
            WHERE a.backend_xid = CAST(older.id AS xid)
                AND a.datid <> (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
        AND NOT EXISTS (
            SELECT FROM pg_prepared_xacts AS p
            WHERE p.transaction = CAST(older.id AS xid) AND p.database <> current_database()))
FROM (SELECT CAST(:mark AS bigint) AS mark, pg_current_snapshot() AS now) AS n
