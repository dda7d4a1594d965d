package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.OrderingKey;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which unfinished messages are wanted: those for which everything that is set holds. An immutable value: each {@code with} method answers a changed copy. */
public final class WorkFilter {
    /** The longest part of an error that can be looked for. */
    public static final int LONGEST_TEXT = 200;

    private final String consumer;
    private final @Nullable MessageStatus status;
    private final MessageConditions conditions;

    private WorkFilter(String consumer, @Nullable MessageStatus status, MessageConditions conditions) {
        this.consumer = Objects.requireNonNull(consumer, "consumer");
        this.status = status;
        this.conditions = conditions;
    }

    /**
     * All unfinished messages of a consumer.
     *
     * @param consumer the consumer's name
     * @return the filter
     */
    public static WorkFilter of(String consumer) {
        return new WorkFilter(consumer, null, MessageConditions.NONE);
    }

    private WorkFilter with(MessageConditions conditions) {
        return new WorkFilter(consumer, status, conditions);
    }

    /**
     * The same with a status.
     *
     * @param status received, parked or leased
     * @return a new filter
     * @throws IllegalArgumentException if messages in work never have this status
     */
    public WorkFilter withStatus(MessageStatus status) {
        if (!status.isInWork()) {
            throw new IllegalArgumentException("messages in work are received, parked or leased, never " + status);
        }
        return new WorkFilter(consumer, status, conditions);
    }

    /**
     * The same with a type.
     *
     * @param type the type
     * @return a new filter
     */
    public WorkFilter withType(String type) {
        return with(conditions.withType(type));
    }

    /**
     * The same with a source.
     *
     * @param source the source
     * @return a new filter
     */
    public WorkFilter withSource(String source) {
        return with(conditions.withSource(source));
    }

    /**
     * The same with an ordering key.
     *
     * @param orderingKey the key
     * @return a new filter
     */
    public WorkFilter withOrderingKey(OrderingKey orderingKey) {
        return with(conditions.withOrderingKey(orderingKey));
    }

    /**
     * The same with a part of the last error.
     *
     * @param text the part, in upper or lower case, at most {@value WorkFilter#LONGEST_TEXT} characters
     * @return a new filter
     * @throws IllegalArgumentException if the part is longer
     */
    public WorkFilter withErrorContaining(String text) {
        return with(conditions.withErrorContaining(text));
    }

    /**
     * The same with bounds of the time at which they were received.
     *
     * @param since then or later; null for no bound
     * @param until before; null for no bound
     * @return a new filter
     */
    public WorkFilter withReceived(@Nullable Instant since, @Nullable Instant until) {
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
     * Which status.
     *
     * @return the status; null for all
     */
    public @Nullable MessageStatus status() {
        return status;
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
     * What the last error contains, in upper or lower case.
     *
     * @return the part; null for all
     */
    public @Nullable String errorContains() {
        return conditions.errorContains();
    }

    /**
     * Since when they were received.
     *
     * @return then or later; null for no bound
     */
    public @Nullable Instant since() {
        return conditions.since();
    }

    /**
     * Until when they were received.
     *
     * @return before that; null for no bound
     */
    public @Nullable Instant until() {
        return conditions.until();
    }

    @Override
    public String toString() {
        return "unfinished messages of consumer '" + consumer + "'" + (status == null ? "" : ", status " + status)
                + conditions;
    }
}
