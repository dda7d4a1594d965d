-- About the schema, as only PostgreSQL is asked.

-- name: encoding
SELECT current_database(), getdatabaseencoding()

-- name: has_parameters
-- Where the driver writes values into the text, as in its simple mode, the text that the server gets has no $1.
SELECT strpos(current_query(), chr(36) || '1') > 0 AND CAST(:any AS text) IS NOT NULL

-- name: lock
SELECT pg_advisory_xact_lock(1346979662, hashtext(current_schema()))

-- name: installed_where
SELECT (SELECT CAST(CAST(c.relnamespace AS regnamespace) AS text)
        FROM pg_class AS c WHERE c.oid = to_regclass('inbox_schema')),
       quote_ident(current_schema())

-- name: taken_names
SELECT c.relname
FROM unnest(CAST(:relations AS text[])) AS n (name)
JOIN pg_namespace AS s ON s.nspname = current_schema()
JOIN pg_class AS c ON c.relnamespace = s.oid AND c.relname = n.name
ORDER BY 1

-- name: schemas
SELECT DISTINCT s.nspname
FROM unnest(CAST(:relations AS text[])) AS n (name)
JOIN pg_class AS c ON c.oid = to_regclass(n.name)
JOIN pg_namespace AS s ON s.oid = c.relnamespace
ORDER BY 1

-- name: catalog
-- A name of PostgreSQL holds 63 bytes, to which longer subjects would be cut. Numbers that say an order must not come from a cache, of
-- which each session has its own. A constraint comes behind an index of the same columns, such as there is while it is rebuilt, and
-- counts.
WITH r AS (
    SELECT c.oid, c.relname, c.relkind, c.relpartbound, c.relpersistence
    FROM unnest(CAST(:relations AS text[])) AS n (name) JOIN pg_class AS c ON c.oid = to_regclass(n.name)
)
SELECT CAST(r.relname AS text),
       CASE r.relpersistence WHEN 'u' THEN 'unlogged ' ELSE '' END || CASE r.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view'
           WHEN 'S' THEN 'sequence' || coalesce((
               SELECT ' with CACHE ' || q.seqcache FROM pg_sequence AS q WHERE q.seqrelid = r.oid AND q.seqcache > 1), '')
           WHEN 'p' THEN 'table partitioned by ' || pg_get_partkeydef(r.oid)
           ELSE 'something else' END
       || coalesce(' ' || pg_get_expr(r.relpartbound, r.oid), '')
FROM r
UNION ALL
SELECT r.relname || '.' || a.attname,
       format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
       || coalesce((
           SELECT ' from a sequence with CACHE ' || q.seqcache
           FROM pg_depend AS d JOIN pg_sequence AS q ON q.seqrelid = d.objid
           WHERE r.relname = 'inbox_history' AND d.classid = d.refclassid AND d.refobjid = r.oid
               AND d.refobjsubid = a.attnum AND d.deptype = 'i' AND q.seqcache > 1), '')
FROM r JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE r.relkind IN ('r', 'p')
UNION ALL
SELECT r.relname || ': ' || pg_get_constraintdef(k.oid), 'constraint'
FROM r JOIN pg_constraint AS k ON k.conrelid = r.oid AND k.contype IN ('p', 'u')
UNION ALL
SELECT r.relname || ': UNIQUE (' || (
           SELECT string_agg(pg_get_indexdef(i.indexrelid, n, false), ', ' ORDER BY n)
           FROM generate_series(1, i.indnkeyatts) AS n
       ) || ')',
       'index'
FROM r JOIN pg_index AS i ON i.indrelid = r.oid AND i.indisunique AND i.indislive
WHERE NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conrelid = r.oid AND k.conindid = i.indexrelid)
ORDER BY 1, 2 DESC
