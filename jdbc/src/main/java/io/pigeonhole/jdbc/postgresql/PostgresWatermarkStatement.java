package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements that read and advance watermarks on PostgreSQL, which stand in {@code postgresql-watermarks.sql}. */
public enum PostgresWatermarkStatement implements StatementName {
    /** Whether the consumer is paused, in one row with each watermark, or with none. */
    FIND,
    /**
     * Moves watermarks, proves the transaction alive as {@link PostgresTransactionStatement#COMMIT} does, and commits. Fails as
     * {@link WatermarkRows#isMoved} recognises unless every watermark still was where it had been read.
     */
    ADVANCE;

    @Override
    public String file() {
        return "postgresql-watermarks";
    }
}
