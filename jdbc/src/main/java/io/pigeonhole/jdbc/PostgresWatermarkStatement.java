package io.pigeonhole.jdbc;

/** The statements about watermarks on PostgreSQL, which stand in {@code postgresql-watermarks.sql}. */
enum PostgresWatermarkStatement implements StatementName {
    /** Whether the consumer is paused, in one row with each watermark, or with none. */
    FIND,
    /**
     * Moves watermarks, proves the transaction alive as {@link PostgresStatements#PROVE_AND_COMMIT} does, and commits. Fails as
     * {@link WatermarkRows#isMoved} recognises unless every watermark still was where it had been read.
     */
    ADVANCE,
    /** The next assignment of a partition, unless its position is that of another log or the consumer deduplicates otherwise. */
    ACQUIRE,
    /** How the consumer deduplicates, and of which log the watermark is. */
    WHY_NOT_ACQUIRED;

    @Override
    public String file() {
        return "postgresql-watermarks";
    }
}
