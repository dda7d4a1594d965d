-- Where PostgreSQL differs from the standard: a row that is refused would end its transaction, and many lock a row together.

-- name: deduplication
SELECT deduplication FROM inbox_consumer WHERE id = :consumer FOR SHARE

-- name: insert
INSERT INTO inbox_watermark (consumer_id, source, partition_number, topic_identity, position, leader_epoch,
    epoch, updated_at)
VALUES (:consumer, :source, :partition, :log, -1, -1, 0, :now)
ON CONFLICT (consumer_id, source, partition_number) DO NOTHING
