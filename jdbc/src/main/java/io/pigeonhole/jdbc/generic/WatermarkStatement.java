package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements that read and advance watermarks, where the database is not PostgreSQL. */
public enum WatermarkStatement implements StatementName {
    /** Whether the consumer is paused, in one row with each watermark, or with none. */
    FIND,

    /** Moves a watermark; no row where it is not where it was read. */
    ADVANCE;

    @Override
    public String file() {
        return "watermarks";
    }
}
