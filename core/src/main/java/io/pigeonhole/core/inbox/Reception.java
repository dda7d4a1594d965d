package io.pigeonhole.core.inbox;

/** When the handler of a delivered message runs. */
public enum Reception {
    /** At once, in the transaction that claims the message. The fastest way, and the default. */
    INLINE,
    /**
     * Later: the message is stored first, can be acknowledged, and is worked on by the workers of any node. For handlers
     * that are too slow for the broker, at the price of writing each message.
     */
    STORE
}
