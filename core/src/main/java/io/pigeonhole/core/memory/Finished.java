package io.pigeonhole.core.memory;

import io.pigeonhole.core.store.FinishedMessage;
import java.time.Instant;

/** A line of a consumer's history. */
record Finished(short consumer, FinishedMessage message, Instant at) {}
