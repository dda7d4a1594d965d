package io.pigeonhole.core.store;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;

/**
 * An unfinished message as a transaction has taken or leased it.
 *
 * @param id its place in the order of arrival
 * @param key its key
 * @param message the message
 * @param attempts how many attempts are counted; of a leased one the attempt that has begun is the last of them
 * @param retriedAttempts how many of these were made before somebody asked for a new beginning; the retry policy does not
 *     count them
 * @param age how long ago, by the database's clock, the message was received or given a new beginning
 * @param byLease whether it may only be worked on under a lease
 * @param token the fencing token: of all who ever lease the message, only the one with the newest can finish it; 0 where it
 *     was never leased
 */
public record WorkItem(
        long id,
        MessageKey key,
        Message message,
        int attempts,
        int retriedAttempts,
        Duration age,
        boolean byLease,
        long token) {}
