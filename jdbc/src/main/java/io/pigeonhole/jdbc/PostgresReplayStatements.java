package io.pigeonhole.jdbc;

/** Whether all transactions have ended that may have recorded something. */
final class PostgresReplayStatements {
    /** A number that is greater than that of every transaction which has written anything yet. */
    static final String MARK = "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)";

    /**
     * Whether all of them have ended. A number that no transaction has been given yet is of another cluster, from which the
     * database was restored: those that it stands for are not here. Parameters: the number.
     */
    static final String IS_PAST = """
            SELECT n.mark < CAST(CAST(pg_snapshot_xmin(n.now) AS text) AS bigint)
                OR n.mark >= CAST(CAST(pg_snapshot_xmax(n.now) AS text) AS bigint)
            FROM (SELECT CAST(? AS bigint) AS mark, pg_current_snapshot() AS now) AS n""";

    private PostgresReplayStatements() {}
}
