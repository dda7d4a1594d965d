package io.pigeonhole.core.node;

/** What a source is doing. */
public enum SourceState {
    /** It has not been started. */
    NEW,
    /** It takes messages from its broker. */
    RUNNING,
    /** The database is away: it takes no messages, stays a member with its broker, and goes on by itself. */
    WAITING_FOR_STORE,
    /** It gave up, see {@link Source#failure()}. */
    FAILED,
    /** It was closed. */
    CLOSED
}
