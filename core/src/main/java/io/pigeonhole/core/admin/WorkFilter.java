package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.time.StoredTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which unfinished messages are wanted: those for which everything that is set holds.
 *
 * @param consumer whose messages
 * @param status received, parked or leased; null for all
 * @param type the type; null for all
 * @param source the source; null for all
 * @param orderingKey the ordering key; null for all
 * @param errorContains a part of the last error, in upper or lower case, at most {@value #LONGEST_TEXT} characters; null
 *     for all
 * @param since those that were received then or later; null for all
 * @param until those that were received before; null for all
 */
public record WorkFilter(
        String consumer,
        @Nullable MessageStatus status,
        @Nullable String type,
        @Nullable String source,
        @Nullable OrderingKey orderingKey,
        @Nullable String errorContains,
        @Nullable Instant since,
        @Nullable Instant until) {
    /** The longest part of an error that can be looked for. */
    public static final int LONGEST_TEXT = 200;

    /** Checks the status and the part of an error. */
    public WorkFilter {
        if (status != null && !status.isInWork()) {
            throw new IllegalArgumentException("messages in work are received, parked or leased, never " + status);
        }
        checkText(errorContains);
        since = since == null ? null : StoredTime.nearest(since);
        until = until == null ? null : StoredTime.nearest(until);
    }

    static void checkText(@Nullable String errorContains) {
        if (errorContains != null && errorContains.length() > LONGEST_TEXT) {
            throw new IllegalArgumentException(
                    "errorContains has " + errorContains.length() + " characters; " + LONGEST_TEXT + " are allowed");
        }
    }

    /**
     * All unfinished messages of a consumer.
     *
     * @param consumer the consumer's name
     * @return the filter
     */
    public static WorkFilter of(String consumer) {
        return new WorkFilter(consumer, null, null, null, null, null, null, null);
    }

    /**
     * The same with a status.
     *
     * @param status received, parked or leased
     * @return a new filter
     */
    public WorkFilter withStatus(MessageStatus status) {
        return new WorkFilter(consumer, status, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with a type.
     *
     * @param type the type
     * @return a new filter
     */
    public WorkFilter withType(String type) {
        return new WorkFilter(consumer, status, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with a source.
     *
     * @param source the source
     * @return a new filter
     */
    public WorkFilter withSource(String source) {
        return new WorkFilter(consumer, status, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with an ordering key.
     *
     * @param orderingKey the key
     * @return a new filter
     */
    public WorkFilter withOrderingKey(OrderingKey orderingKey) {
        return new WorkFilter(consumer, status, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with a part of the last error.
     *
     * @param text the part, in upper or lower case
     * @return a new filter
     */
    public WorkFilter withErrorContaining(String text) {
        return new WorkFilter(consumer, status, type, source, orderingKey, text, since, until);
    }

    /**
     * The same with bounds of the time at which messages were received.
     *
     * @param since then or later; null for no bound
     * @param until before; null for no bound
     * @return a new filter
     */
    public WorkFilter withReceived(@Nullable Instant since, @Nullable Instant until) {
        return new WorkFilter(consumer, status, type, source, orderingKey, errorContains, since, until);
    }
}
