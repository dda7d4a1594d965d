package io.pigeonhole.core.inbox;

import java.time.Duration;

/** The settings that the engine itself reads. */
record EngineSettings(
        Duration handlerTimeout,
        Duration concurrentDuplicateTimeout,
        HistoryMode history,
        Reception reception,
        OnRedeliveredDeadLetter onRedeliveredDeadLetter,
        boolean conflicts,
        int crashLimit,
        int workBatch,
        long workBytes,
        Duration lease,
        Duration externalTimeout,
        Duration slowBatch,
        String node) {
    /** A handler that runs in the transaction comes by the database within handlerTimeout, but may do so some times. */
    private static final int STATEMENTS = 10;

    /** How long a call of a handler that runs in the transaction may take altogether. */
    Duration longestCall() {
        return handlerTimeout.multipliedBy(STATEMENTS);
    }
}
