-- What H2 says otherwise: see the file of the standard.

-- name: keys
-- Also unique indexes that are no constraints.
SELECT k.table_name, c.constraint_type, k.constraint_name, k.column_name, k.ordinal_position
FROM information_schema.table_constraints AS c
JOIN information_schema.key_column_usage AS k
    ON k.table_schema = c.table_schema AND k.table_name = c.table_name
    AND k.constraint_name = c.constraint_name
WHERE c.table_schema = {current_schema} AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE')
UNION ALL
SELECT k.table_name, 'UNIQUE', k.index_name, k.column_name, k.ordinal_position
FROM information_schema.indexes AS i
JOIN information_schema.index_columns AS k
    ON k.index_schema = i.index_schema AND k.index_name = i.index_name
WHERE i.table_schema = {current_schema} AND i.index_type_name = 'UNIQUE INDEX'
ORDER BY 1, 3, 5
