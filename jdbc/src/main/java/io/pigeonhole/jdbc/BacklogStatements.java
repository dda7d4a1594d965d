package io.pigeonhole.jdbc;

/** The statements for PostgreSQL by which a node plans its work, whole, as in {@link PostgresStatements}. */
final class BacklogStatements {
    /**
     * For each consumer, kind and lane (-1 for leases that run out) when the first is due, in microseconds from now. One
     * look into an index for each, so that all that waits behind the first costs nothing. Where there is a hint, the look
     * begins there, and what it finds is due now; only where it finds nothing there is one from the beginning. Parameters:
     * consumers, lanes and due times of the hints, these in microseconds since 1970; consumers, twice.
     */
    static final String DUE = """
            SELECT c.id, CASE WHEN k.by_lease THEN 'BY_LEASE' ELSE 'ORDINARY' END, l.lane,
                min(CAST(greatest(0, extract(epoch FROM w.due_at - clock_timestamp())) * 1000000 AS bigint))
            FROM inbox_consumer AS c
            CROSS JOIN (VALUES (false, false), (true, false), (false, true), (true, true)) AS k (by_lease, ordered)
            CROSS JOIN LATERAL unnest(ARRAY(SELECT generate_series(0, c.lanes - 1))) AS l (lane)
            LEFT JOIN unnest(CAST(? AS smallint[]), CAST(? AS smallint[]), CAST(? AS bigint[]))
                AS h (consumer_id, lane, due_at)
                ON h.consumer_id = c.id AND h.lane = l.lane AND NOT k.by_lease AND NOT k.ordered
            CROSS JOIN LATERAL (
                (SELECT i.due_at
                 FROM inbox_work AS i
                 WHERE i.consumer_id = c.id AND i.by_lease = k.by_lease AND i.lane = l.lane AND i.ordered = k.ordered
                     AND i.status <> 'leased' AND i.due_at >= to_timestamp(0) + h.due_at * interval '1 microsecond'
                     AND i.due_at <= (SELECT clock_timestamp())
                 ORDER BY i.due_at
                 LIMIT 1)
                UNION ALL
                (SELECT i.due_at
                 FROM inbox_work AS i
                 WHERE i.consumer_id = c.id AND i.by_lease = k.by_lease AND i.lane = l.lane AND i.ordered = k.ordered
                     AND i.status <> 'leased'
                 ORDER BY i.due_at
                 LIMIT 1)
                LIMIT 1
            ) AS w
            WHERE c.id = ANY (CAST((SELECT CAST(? AS smallint[])) AS smallint[])) AND NOT c.paused AND (NOT k.ordered OR c.key_order <> 'NONE')
            GROUP BY c.id, k.by_lease, l.lane
            UNION ALL
            SELECT c.id, 'EXPIRING', -1,
                CAST(greatest(0, extract(epoch FROM w.lease_until - clock_timestamp())) * 1000000 AS bigint)
            FROM inbox_consumer AS c
            CROSS JOIN LATERAL (
                SELECT i.lease_until
                FROM inbox_work AS i
                WHERE i.consumer_id = c.id AND i.status = 'leased'
                ORDER BY i.lease_until
                LIMIT 1
            ) AS w
            WHERE c.id = ANY (CAST((SELECT CAST(? AS smallint[])) AS smallint[]))""";

    private BacklogStatements() {}
}
