-- To read and advance watermarks.

-- name: find
SELECT c.paused, w.source, w.partition_number, w.topic_identity, w.epoch, w.position, w.leader_epoch
FROM inbox_consumer AS c
LEFT JOIN inbox_watermark AS w
    ON w.consumer_id = c.id AND (w.source, w.partition_number) IN ({(:sources..., :partitions...)})
WHERE c.id = :consumer

-- name: advance
UPDATE inbox_watermark
SET position = :position, leader_epoch = :leader_epoch, updated_at = :now
WHERE consumer_id = :consumer AND source = :source AND partition_number = :partition AND epoch = :assignment AND position = :before
