-- Where PostgreSQL differs from the standard.

-- name: tables
-- With all their partitions.
SELECT r.relname,
       CAST(sum(coalesce(nullif(s.n_live_tup, 0), greatest(c.reltuples, 0))) AS bigint),
       CAST(sum(pg_total_relation_size(c.oid)) AS bigint)
FROM pg_class AS r
LEFT JOIN LATERAL pg_partition_tree(r.oid) AS t ON true
JOIN pg_class AS c ON c.oid = coalesce(CAST(t.relid AS oid), r.oid)
LEFT JOIN pg_stat_all_tables AS s ON s.relid = c.oid
WHERE r.relnamespace = CAST(quote_ident(current_schema()) AS regnamespace) AND r.relkind IN ('r', 'p')
    AND NOT r.relispartition AND r.relname ~ '^(in|out)box_'
GROUP BY r.relname
