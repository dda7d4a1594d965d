package io.pigeonhole.core.inbox;

/** What becomes of a message whose type has no handler. */
public enum UnknownType {
    /** It goes to the dead letters. */
    DEAD_LETTER,
    /**
     * It is claimed and nothing is done: it is reported as processed. For consumers of a topic that carries more than they
     * want.
     */
    IGNORE
}
