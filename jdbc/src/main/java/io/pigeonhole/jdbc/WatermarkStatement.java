package io.pigeonhole.jdbc;

/** The statements that read and advance watermarks, where the database is not PostgreSQL. */
enum WatermarkStatement implements StatementName {
    /** Whether the consumer is paused, in one row with each watermark, or with none. */
    FIND,

    /** Moves a watermark; no row where it is not where it was read. */
    ADVANCE;

    @Override
    public String file() {
        return "watermarks";
    }
}
