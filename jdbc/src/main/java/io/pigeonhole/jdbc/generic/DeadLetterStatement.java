package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about dead letters, where the database is not PostgreSQL. */
public enum DeadLetterStatement implements StatementName {
    /**
     * Inserts a letter. Waits for others that have inserted the same message; where it is there, it fails, or counts it once
     * more and says so by the number of rows.
     */
    ADD,

    /** Copies a message in work that is locked. */
    COPY_FROM_WORK,

    /** Counts a delivery more of a letter that is locked. */
    SEEN_AGAIN,

    /** Where it is the letter of another message: as if it had not been counted. */
    NOT_SEEN,

    /** Whether another message has a place. */
    IS_TAKEN,

    /** Says of a letter that is locked how often it was seen again. */
    RECOUNT,

    /** The ids of letters by their keys, without locks. */
    IDS,

    /** Locks letters by their ids. */
    LOCK,

    /** Whether a message in work has a place. */
    IS_IN_WORK;

    @Override
    public String file() {
        return "dead-letters";
    }
}
