package io.pigeonhole.core.memory;

import io.pigeonhole.core.store.FailedAttempt;

/** An attempt of a message that failed. */
record Failed(Row row, FailedAttempt attempt) {}
