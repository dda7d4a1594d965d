-- To acquire a watermark.

-- name: deduplication
-- Locked until the partition is acquired: whoever changes it meanwhile would not take the partition away again.
SELECT deduplication FROM inbox_consumer WHERE id = :consumer FOR UPDATE

-- name: lock
SELECT topic_identity, epoch, position, leader_epoch
FROM inbox_watermark
WHERE consumer_id = :consumer AND source = :source AND partition_number = :partition
FOR UPDATE

-- name: insert
INSERT INTO inbox_watermark (consumer_id, source, partition_number, topic_identity, position, leader_epoch,
    epoch, updated_at)
VALUES (:consumer, :source, :partition, :log, -1, -1, 0, :now)

-- name: acquire
UPDATE inbox_watermark
SET epoch = :assignment, topic_identity = :log, updated_at = :now
WHERE consumer_id = :consumer AND source = :source AND partition_number = :partition
