package io.pigeonhole.core.inbox;

import java.time.Duration;

/** The settings that the engine itself reads. */
record EngineSettings(Duration handlerTimeout, Duration twinPatience, HistoryMode history, String node) {}
