package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about work partitions and the order in them on PostgreSQL, which stand in {@code workPartitions.sql}. */
public enum PostgresWorkPartitionStatement implements StatementName {
    /** Finds what is due in a work partition with an order by the messages that are due first, locks and reads it. */
    TAKE_BY_DUE,
    /** The same by the first message of each key. */
    TAKE_BY_HEADS,
    /** Tries to lock a work partition for a worker; whether it is his now. */
    ENTER,
    /** Locks work partitions for storing, and waits for them. */
    LOCK,
    /** The same with a limit of the wait, and the handlers' own limits behind it. */
    LOCK_BESIDE_HANDLERS,
    /** Which of some keys new messages must stay behind: their places among those asked for, from 1. */
    BLOCKED;

    @Override
    public String file() {
        return "work-partitions";
    }
}
