package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AttemptEntry;

/** An attempt that failed, of a message in work as well as of a dead letter. */
record Attempt(Row row, AttemptEntry entry) {}
