package io.pigeonhole.core.admin;

import io.pigeonhole.core.store.FailedAttempt;
import java.time.Instant;

/**
 * An attempt that failed.
 *
 * @param startedAt when it began, by the database's clock
 * @param attempt the attempt
 */
public record AttemptEntry(Instant startedAt, FailedAttempt attempt) {}
