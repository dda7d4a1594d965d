package io.pigeonhole.core.node;

/** Whether a node uses its database. */
public enum Circuit {
    /** The database answers, and messages flow. */
    CLOSED,
    /**
     * The database is away, or refuses to commit, such as with a full disk: nothing is taken from brokers, no attempt is counted,
     * and it is asked again. Of the work of a consumer that was refused, at most one piece at a time is tried. Work of one consumer
     * that alone is refused, while others have work that is not, opens nothing.
     */
    OPEN
}
