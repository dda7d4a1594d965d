package io.pigeonhole.jdbc;

/** The statements about the numbers that rows get on PostgreSQL, which stand in {@code postgresql-numbers.sql}. */
enum PostgresNumberStatement implements StatementName {
    /** The name of the sequence that gives a table its ids, where the login may read it. */
    SEQUENCE,
    /** The number that it gives next. */
    NEXT,
    /** Lets the transaction wait for a lock for a short time only. */
    WAIT_SHORTLY,
    /** Keeps others from writing to a table, so that nobody gets a number meanwhile. */
    LOCK,
    /** The largest number that a message in work or a dead letter has. */
    LARGEST_ARRIVAL,
    /** The largest number of an attempt. */
    LARGEST_ATTEMPT,
    /** The largest number of something that a person did. */
    LARGEST_AUDIT,
    /** The largest number of the history up to which a run over it goes. */
    LARGEST_CUTOFF,
    /** The largest number of the history in a time. */
    LARGEST_HISTORY_BETWEEN,
    /** The largest number of a consumer that a row has, other than rows of ledger and history. */
    LARGEST_CONSUMER,
    /** The same in a time of the history. */
    LARGEST_CONSUMER_OF_HISTORY_BETWEEN,
    /** The same among some keys of the ledger. */
    LARGEST_CONSUMER_OF_LEDGER_BETWEEN;

    @Override
    public String file() {
        return "postgresql-numbers";
    }
}
