package io.pigeonhole.core.node;

/** What a source is doing. A state may be added in a later version: a {@code switch} over it needs a default. */
public enum SourceState {
    /** It has not been started. */
    NEW,
    /** It takes messages from its broker. */
    RUNNING,
    /**
     * It takes messages from some of its queues, but not from all: the others are away, refused, given up, or wait for one message
     * that is not finished. Or its inbox holds back messages of a flood, or too many threads hang in handlers. See
     * {@link Source#problems()} and {@link Source#failure()}.
     */
    DEGRADED,
    /**
     * It takes no messages because the broker is away, refuses it or has not let it in yet; it tries again by itself until it
     * works. See {@link Source#problems()}.
     */
    WAITING_FOR_BROKER,
    /**
     * The database is away or takes nothing, or the consumer is paused: it takes no messages, stays a member with its broker, and
     * goes on by itself.
     */
    WAITING_FOR_STORE,
    /** It gave up, see {@link Source#failure()}. */
    FAILED,
    /** It was closed. */
    CLOSED
}
