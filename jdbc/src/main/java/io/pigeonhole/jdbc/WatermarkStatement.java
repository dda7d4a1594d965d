package io.pigeonhole.jdbc;

/** The statements about watermarks, where the database is not PostgreSQL. */
enum WatermarkStatement implements StatementName {
    /** Whether the consumer is paused, in one row with each watermark, or with none. */
    WATERMARKS,

    /** Moves a watermark; no row where it is not where it was read. */
    ADVANCE,

    /** How a consumer deduplicates. */
    DEDUPLICATION,

    /** Locks a watermark and reads it. */
    LOCK,

    /** Adds the watermark of a partition that nobody has acquired yet. */
    INSERT,

    /** Gives a partition to somebody else than before. */
    ACQUIRE;

    @Override
    public String file() {
        return "watermarks";
    }
}
