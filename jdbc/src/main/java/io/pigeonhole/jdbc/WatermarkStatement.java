package io.pigeonhole.jdbc;

/** The statements of {@link PlainStatement} about watermarks. */
public enum WatermarkStatement implements PlainStatement {
    /** Whether the consumer is paused, in one row with each watermark, or with none. Parameters: source and number of each, consumer. */
    WATERMARKS("""
            SELECT c.paused, w.source, w.partition_number, w.topic_identity, w.epoch, w.position, w.leader_epoch
            FROM inbox_consumer AS c
            LEFT JOIN inbox_watermark AS w
                ON w.consumer_id = c.id AND (w.source, w.partition_number) IN ({(?, ?)})
            WHERE c.id = ?"""),

    /** Parameters: new position, leader epoch, now, consumer, source, number, assignment, old position. */
    ADVANCE("""
            UPDATE inbox_watermark
            SET position = ?, leader_epoch = ?, updated_at = ?
            WHERE consumer_id = ? AND source = ? AND partition_number = ? AND epoch = ? AND position = ?"""),

    /** Parameters: consumer. */
    DEDUPLICATION("SELECT deduplication FROM inbox_consumer WHERE id = ?"),

    /** Parameters: consumer, source, number. */
    LOCK("""
            SELECT topic_identity, epoch, position, leader_epoch
            FROM inbox_watermark
            WHERE consumer_id = ? AND source = ? AND partition_number = ?
            FOR UPDATE"""),

    /** A partition that nobody has acquired yet. Parameters: consumer, source, number, log, now. */
    INSERT("""
            INSERT INTO inbox_watermark (consumer_id, source, partition_number, topic_identity, position, leader_epoch,
                epoch, updated_at)
            VALUES (?, ?, ?, ?, -1, -1, 0, ?)"""),

    /** Parameters: assignment, log, now, consumer, source, number. */
    ACQUIRE("""
            UPDATE inbox_watermark
            SET epoch = ?, topic_identity = ?, updated_at = ?
            WHERE consumer_id = ? AND source = ? AND partition_number = ?""");

    private final String standard;

    WatermarkStatement(String standard) {
        this.standard = standard;
    }

    @Override
    public String standard() {
        return standard;
    }
}
