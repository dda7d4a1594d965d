package io.pigeonhole.core.admin;

import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.OrderingKey;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which dead letters are wanted: those for which everything that is set holds. An immutable value: each {@code with} method answers a changed copy. */
public final class DeadLetterFilter {
    private final String consumer;
    private final @Nullable DeadReason reason;
    private final MessageConditions conditions;

    private DeadLetterFilter(String consumer, @Nullable DeadReason reason, MessageConditions conditions) {
        this.consumer = Objects.requireNonNull(consumer, "consumer");
        this.reason = reason;
        this.conditions = conditions;
    }

    /**
     * All dead letters of a consumer.
     *
     * @param consumer the consumer's name
     * @return the filter
     */
    public static DeadLetterFilter of(String consumer) {
        return new DeadLetterFilter(consumer, null, MessageConditions.NONE);
    }

    private DeadLetterFilter with(MessageConditions conditions) {
        return new DeadLetterFilter(consumer, reason, conditions);
    }

    /**
     * The same with a reason.
     *
     * @param reason why they were given up on
     * @return a new filter
     * @throws IllegalArgumentException if the reason is {@link DeadReason#UNKNOWN}
     */
    public DeadLetterFilter withReason(DeadReason reason) {
        if (reason == DeadReason.UNKNOWN) {
            throw new IllegalArgumentException(
                    "no dead letter is stored with the reason UNKNOWN: it stands for every reason"
                            + " that this version does not know. Select without a reason, or ask with the version that recorded it");
        }
        return new DeadLetterFilter(consumer, reason, conditions);
    }

    /**
     * The same with a type.
     *
     * @param type the type
     * @return a new filter
     */
    public DeadLetterFilter withType(String type) {
        return with(conditions.withType(type));
    }

    /**
     * The same with a source.
     *
     * @param source the source
     * @return a new filter
     */
    public DeadLetterFilter withSource(String source) {
        return with(conditions.withSource(source));
    }

    /**
     * The same with an ordering key.
     *
     * @param orderingKey the key
     * @return a new filter
     */
    public DeadLetterFilter withOrderingKey(OrderingKey orderingKey) {
        return with(conditions.withOrderingKey(orderingKey));
    }

    /**
     * The same with a part of the detail.
     *
     * @param text the part, in upper or lower case, at most {@value WorkFilter#LONGEST_TEXT} characters
     * @return a new filter
     * @throws IllegalArgumentException if the part is longer
     */
    public DeadLetterFilter withErrorContaining(String text) {
        return with(conditions.withErrorContaining(text));
    }

    /**
     * The same with bounds of the time at which they died.
     *
     * @param since then or later; null for no bound
     * @param until before; null for no bound
     * @return a new filter
     */
    public DeadLetterFilter withDied(@Nullable Instant since, @Nullable Instant until) {
        return with(conditions.withTime(since, until));
    }

    /**
     * Whose messages.
     *
     * @return the consumer's name
     */
    public String consumer() {
        return consumer;
    }

    /**
     * Which reason.
     *
     * @return the reason; null for all
     */
    public @Nullable DeadReason reason() {
        return reason;
    }

    /**
     * Of which type.
     *
     * @return the type; null for all
     */
    public @Nullable String type() {
        return conditions.type();
    }

    /**
     * From which source.
     *
     * @return the source; null for all
     */
    public @Nullable String source() {
        return conditions.source();
    }

    /**
     * With which ordering key.
     *
     * @return the key; null for all
     */
    public @Nullable OrderingKey orderingKey() {
        return conditions.orderingKey();
    }

    /**
     * What the detail contains, in upper or lower case.
     *
     * @return the part; null for all
     */
    public @Nullable String errorContains() {
        return conditions.errorContains();
    }

    /**
     * Since when they died.
     *
     * @return then or later; null for no bound
     */
    public @Nullable Instant since() {
        return conditions.since();
    }

    /**
     * Until when they died.
     *
     * @return before that; null for no bound
     */
    public @Nullable Instant until() {
        return conditions.until();
    }

    @Override
    public String toString() {
        return "dead letters of consumer '" + consumer + "'" + (reason == null ? "" : ", reason " + reason)
                + conditions;
    }
}
