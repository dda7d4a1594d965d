package io.pigeonhole.core.admin;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.time.StoredTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are wanted: those for which everything that is set holds.
 *
 * @param consumer whose messages
 * @param reason why they were given up on; null for all
 * @param type the type; null for all
 * @param source the source; null for all
 * @param orderingKey the ordering key; null for all
 * @param errorContains a part of the detail, in upper or lower case, at most {@value WorkFilter#LONGEST_TEXT} characters; null
 *     for all
 * @param since those that died then or later; null for all
 * @param until those that died before; null for all
 */
public record DeadLetterFilter(
        String consumer,
        @Nullable DeadReason reason,
        @Nullable String type,
        @Nullable String source,
        @Nullable OrderingKey orderingKey,
        @Nullable String errorContains,
        @Nullable Instant since,
        @Nullable Instant until) {
    /** Checks the part of the detail. */
    public DeadLetterFilter {
        WorkFilter.checkText(errorContains);
        since = since == null ? null : StoredTime.nearest(since);
        until = until == null ? null : StoredTime.nearest(until);
    }

    /**
     * All dead letters of a consumer.
     *
     * @param consumer the consumer's name
     * @return the filter
     */
    public static DeadLetterFilter of(String consumer) {
        return new DeadLetterFilter(consumer, null, null, null, null, null, null, null);
    }

    /**
     * The same with a reason.
     *
     * @param reason why they were given up on
     * @return a new filter
     */
    public DeadLetterFilter withReason(DeadReason reason) {
        return new DeadLetterFilter(consumer, reason, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with a type.
     *
     * @param type the type
     * @return a new filter
     */
    public DeadLetterFilter withType(String type) {
        return new DeadLetterFilter(consumer, reason, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with a source.
     *
     * @param source the source
     * @return a new filter
     */
    public DeadLetterFilter withSource(String source) {
        return new DeadLetterFilter(consumer, reason, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with an ordering key.
     *
     * @param orderingKey the key
     * @return a new filter
     */
    public DeadLetterFilter withOrderingKey(OrderingKey orderingKey) {
        return new DeadLetterFilter(consumer, reason, type, source, orderingKey, errorContains, since, until);
    }

    /**
     * The same with a part of the detail.
     *
     * @param text the part, in upper or lower case
     * @return a new filter
     */
    public DeadLetterFilter withErrorContaining(String text) {
        return new DeadLetterFilter(consumer, reason, type, source, orderingKey, text, since, until);
    }

    /**
     * The same with bounds of the time at which they died.
     *
     * @param since then or later; null for no bound
     * @param until before; null for no bound
     * @return a new filter
     */
    public DeadLetterFilter withDied(@Nullable Instant since, @Nullable Instant until) {
        return new DeadLetterFilter(consumer, reason, type, source, orderingKey, errorContains, since, until);
    }
}
