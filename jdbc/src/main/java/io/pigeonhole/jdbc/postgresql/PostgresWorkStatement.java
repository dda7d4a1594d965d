package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about messages in work on PostgreSQL, which stand in {@code postgresql-work.sql}. */
public enum PostgresWorkStatement implements StatementName {
    /** Adds new messages, as many as there are rows behind VALUES. */
    RECEIVE,
    /** Adds a message that failed, with the failed attempt. */
    PARK,
    /** Puts a message that failed off, and adds the failed attempt. Changes one row. */
    POSTPONE,
    /** Puts a message off that only waits: nothing is noted. */
    WAIT,
    /** Deletes messages that are done. */
    FINISH,
    /** Says of messages that they need a lease from now on. */
    REQUIRE_LEASE,
    /** Locks messages without an order that are due in a work partition, from an instant on, and reads them. */
    TAKE,
    /** Locks messages that were taken before, and reads them. */
    RETAKE,
    /** Leases messages without an order that are due in a work partition. */
    LEASE,
    /** Leases messages that are locked already. */
    LEASE_THESE,
    /** Locks a message that is leased under a token; no row where it is not. */
    HOLD,
    /** Locks messages whose leases have ended, and reads them. */
    TAKE_EXPIRED,
    /** For each consumer, kind and work partition, -1 for leases that end, when the first message is due, in microseconds from now. */
    DUE;

    @Override
    public String file() {
        return "postgresql-work";
    }
}
