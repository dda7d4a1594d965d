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
        String node) {}
