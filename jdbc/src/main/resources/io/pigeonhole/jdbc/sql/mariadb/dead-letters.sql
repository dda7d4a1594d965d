-- What MariaDB says otherwise: see the file of the standard.

-- name: add
-- Counts the letter that is there already.
INSERT INTO inbox_dead_letter (id, {message_columns}, work_partition, ordered, ordering_hash, by_lease, blocks, reason, detail, claimed,
    attempts, received_at, died_at)
VALUES (:place, {message_values}, :work_partition, :ordered, :ordering_hash, FALSE, :blocks, :reason, :detail, :claimed, :attempts, :now,
    :now)
ON DUPLICATE KEY UPDATE seen_again = seen_again + 1
