package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about sequences, which only PostgreSQL has; they stand in {@code sequences.sql}. */
public enum SequenceStatement implements StatementName {
    /** The name of the sequence that gives a table its ids, where the login may read it. */
    SEQUENCE,
    /** The number that it gives next. */
    NEXT,
    /** Lets the transaction wait for a lock for a short time only. */
    WAIT_SHORTLY,
    /** Keeps others from writing to a table, so that nobody gets a number meanwhile. */
    LOCK,
    /** The largest number of the history in a time. */
    LARGEST_HISTORY_BETWEEN,
    /** The largest number of a consumer in a time of the history. */
    LARGEST_CONSUMER_OF_HISTORY_BETWEEN,
    /** The same among some keys of the ledger. */
    LARGEST_CONSUMER_OF_LEDGER_BETWEEN;

    @Override
    public String file() {
        return "sequences";
    }
}
