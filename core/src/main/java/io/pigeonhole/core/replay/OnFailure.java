package io.pigeonhole.core.replay;

/** What a run over the history does about a message whose handler fails. */
enum OnFailure {
    /** It stops there. */
    STOP,
    /** It records the message and goes on. */
    SKIP
}
