package io.pigeonhole.jdbc.store;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements that acquire watermarks. */
public enum WatermarkAcquisitionStatement implements StatementName {
    /** How a consumer deduplicates; that does not change before the transaction ends. */
    DEDUPLICATION,

    /** Locks a watermark and reads it. */
    LOCK,

    /** Adds the watermark of a partition that nobody has acquired yet. */
    INSERT,

    /** Gives a partition to somebody else than before. */
    ACQUIRE;

    @Override
    public String file() {
        return "watermark-acquisition";
    }
}
