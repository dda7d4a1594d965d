package io.pigeonhole.core.node;

/** What a node does where a broker may deliver a message again after the store has deleted its key. */
public enum WindowGuard {
    /** It says so in the log, at the start and every day. */
    WARN,
    /** It does not start. What changes later is said in the log. */
    REFUSE,
    /** It does not ask. */
    OFF
}
