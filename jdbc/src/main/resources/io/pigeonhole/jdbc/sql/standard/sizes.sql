-- How much there is.

-- name: tables
-- Tables, about how many rows they have, and how many bytes or NULL.
SELECT table_name, row_count_estimate, CAST(NULL AS BIGINT)
FROM information_schema.tables
WHERE table_schema = CURRENT_SCHEMA AND table_type = 'BASE TABLE'

-- name: tasks
-- Every task, with its pass.
SELECT task, begun_at, place, deleted, millis
FROM inbox_upkeep
WHERE task <> 'history days' AND task NOT LIKE 'detach %'
ORDER BY task

-- name: longest_window
-- NULL where no program has said.
SELECT MAX(millis) FROM inbox_retention WHERE what = 'window'
