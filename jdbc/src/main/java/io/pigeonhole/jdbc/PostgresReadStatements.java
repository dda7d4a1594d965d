package io.pigeonhole.jdbc;

/** Where the partitions of the tables that have days begin, under the same rules as {@link PostgresStatements}. */
final class PostgresReadStatements {
    /** What the partitions of a table begin with. Found at first, because other tables begin with something else. Formatted with: the table. */
    private static final String BEGINNINGS = """
            WITH p AS MATERIALIZED (
                SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM '^FOR VALUES FROM [(]''([^'']+)''[)]') AS bound
                FROM pg_inherits AS i
                JOIN pg_class AS c ON c.oid = i.inhrelid
                WHERE i.inhparent = to_regclass('%s')
            )
            """;

    /** When the partitions of the history begin, the newest first, without those that have no beginning. */
    static final String BEGINNINGS_OF_HISTORY = BEGINNINGS.formatted("inbox_history") + """
            SELECT CAST(CAST(p.bound AS timestamptz) AS text)
            FROM p
            WHERE isfinite(CAST(p.bound AS timestamptz))
            ORDER BY CAST(p.bound AS timestamptz) DESC""";

    /** The smallest keys of the partitions of the ledger, the largest first, without those that have none. */
    static final String BEGINNINGS_OF_LEDGER = BEGINNINGS.formatted("inbox_ledger") + """
            SELECT CAST(CAST(p.bound AS uuid) AS text)
            FROM p
            WHERE p.bound IS NOT NULL
            ORDER BY CAST(p.bound AS uuid) DESC""";

    private PostgresReadStatements() {}
}
