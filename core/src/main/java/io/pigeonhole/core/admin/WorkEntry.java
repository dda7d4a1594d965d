package io.pigeonhole.core.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An unfinished message. All instants are of the database's clock.
 *
 * @param id its place in the order of arrival
 * @param message what it is
 * @param status received, parked or leased
 * @param attempts how many attempts are counted
 * @param dueAt from when on it can be worked on, unless its ordering key is blocked
 * @param leaseOwner the node that has the lease, or null where nobody has
 * @param leaseUntil until when the lease holds, or null where there is none
 * @param receivedAt when it was stored first
 * @param lastError what the last attempt failed with, or why it waits for another program; null where none has failed since its
 *     last beginning
 */
public record WorkEntry(
        long id,
        MessageLabel message,
        MessageStatus status,
        int attempts,
        Instant dueAt,
        @Nullable String leaseOwner,
        @Nullable Instant leaseUntil,
        Instant receivedAt,
        @Nullable String lastError) {}
