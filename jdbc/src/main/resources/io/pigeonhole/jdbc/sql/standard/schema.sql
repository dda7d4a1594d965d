-- About the schema.

-- part: current_schema
CURRENT_SCHEMA

-- name: tables
SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = {current_schema}

-- name: columns
SELECT table_name, column_name, data_type, character_maximum_length, is_nullable
FROM information_schema.columns
WHERE table_schema = {current_schema}

-- name: keys
SELECT k.table_name, c.constraint_type, k.constraint_name, k.column_name
FROM information_schema.table_constraints AS c
JOIN information_schema.key_column_usage AS k
    ON k.table_schema = c.table_schema AND k.table_name = c.table_name
    AND k.constraint_name = c.constraint_name
WHERE c.table_schema = {current_schema} AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE')
ORDER BY k.table_name, k.constraint_name, k.ordinal_position

-- name: installed_version
SELECT COALESCE(MAX(version), 0) FROM inbox_schema
