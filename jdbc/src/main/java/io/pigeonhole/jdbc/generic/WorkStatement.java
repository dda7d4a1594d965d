package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.sql.StatementName;

/**
 * The statements about unfinished messages, where the database is not PostgreSQL. Rows are looked for without locks and then
 * locked by their ids, so that no plan can lock more of them than are taken.
 */
public enum WorkStatement implements StatementName {
    /** Stores a message that was received. */
    RECEIVE,

    /** Stores a message whose handler has failed. */
    PARK,

    /** A page of what is due without an order, the oldest first, and how many bytes each has. */
    DUE_PAGE,

    /** Locks what is still due and nobody else's, and reads it. */
    TAKE,

    /** The same without the messages themselves. */
    LOCK_DUE,

    /** The same for what is taken, due or not. */
    RETAKE,

    /** The ordering keys of messages that are due, the oldest due first. */
    KEYS_OF_DUE,

    /**
     * A page of the first messages of ordering keys, as far as they are due and behind no dead letter, the oldest due first,
     * for work partitions in which very many messages are due behind others that are not, or that somebody has locked.
     */
    DUE_HEADS,

    /**
     * The first messages of each key, however many are behind them, and the dead letters that block these keys. Says of each
     * whether it may be taken.
     */
    FIRST_OF_KEYS,

    /** Which ordering keys have messages in work, or a dead letter that blocks. */
    BLOCKED,

    /** Locks messages, waiting for others. */
    LOCK,

    /** Parks a message that is locked until it is tried again. */
    POSTPONE,

    /** Lets a message that is locked be worked on under a lease only. */
    REQUIRE_LEASE,

    /** Leases a message that is locked. */
    LEASE,

    /** Locks the message of a lease; no row where the lease is not the newest. */
    HOLD,

    /** A page of the leases that have run out, and how many bytes their messages have. */
    EXPIRED_PAGE,

    /** Locks those that have still run out. */
    TAKE_EXPIRED,

    /** For each consumer, kind and work partition, -1 for leases that end, when the first message is due. */
    DUE;

    @Override
    public String file() {
        return "work";
    }
}
