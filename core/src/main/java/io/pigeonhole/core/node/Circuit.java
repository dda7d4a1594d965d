package io.pigeonhole.core.node;

/** Whether a node uses its database. */
public enum Circuit {
    /** The database answers, and messages flow. */
    CLOSED,
    /** The database is away: nothing is taken from brokers or from work, no attempt is counted, and it is asked again. */
    OPEN
}
