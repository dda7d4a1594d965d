package io.pigeonhole.core.retry;

/** What becomes of a message whose handler threw. */
public enum Reaction {
    /** It is tried again later, as far as the policy's limits allow. */
    RETRY,
    /** It goes to the dead letters at once: no retry will help. */
    GIVE_UP,
    /** It is finished: what the handler wrote is rolled back, and nobody needs to hear of it again. */
    IGNORE
}
