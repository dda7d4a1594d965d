package io.pigeonhole.jdbc;

/** The statements by which PostgreSQL deletes rows that are past their time, which stand in {@code postgresql-retention.sql}. */
enum PostgresRetentionStatement implements StatementName {
    /** Now, and where the ledger begins and ends. */
    HORIZON,
    /** Lets the ledger begin later. */
    RAISE_HORIZON,
    /**
     * Keeps runs over the history from being made before this transaction ends, and says whether none was made since a hold was
     * taken.
     */
    HOLD_HISTORY,
    /** Prolongs a hold, unless it has ended. */
    RENEW_HOLD,
    /** Adds a task, unless it is there. */
    ADD_TASK,
    /** Locks a task and reads its place; no row where another node is at it, or there is nothing to do before its time. */
    ENTER_TASK,
    /** Notes what a piece of a task has done. */
    NOTE_TASK,
    /** Takes a task for a while; changes no row where another node is at it. */
    TAKE_TASK,
    /** Gives a task back. */
    RELEASE_TASK,
    /** Deletes keys in digest form from some pages of a table, in the order in which they lie. */
    PURGE_DIGESTS,
    /** Deletes attempts; answers where it came to, how many rows it looked at and how many it deleted. */
    PURGE_ATTEMPTS,
    /** The same of what people did. */
    PURGE_AUDIT;

    @Override
    public String file() {
        return "postgresql-retention";
    }
}
