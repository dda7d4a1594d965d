package io.pigeonhole.core.node;

import java.util.List;

/** Whether a node does all that it is to do, as far as it knows without asking anybody. An immutable value. */
public sealed interface NodeHealth {
    /**
     * Whether all is well.
     *
     * @return true for {@link Healthy}
     */
    default boolean isHealthy() {
        return this instanceof Healthy;
    }

    /**
     * Why it is not healthy.
     *
     * @return what and why, a sentence each, unmodifiable; none where it is healthy
     */
    default List<String> reasons() {
        return List.of();
    }

    /**
     * All sources take messages, no batch has been in work for longer than {@code slowBatch}, the workers find their database, and the store
     * had its new days at the last try. Whether old rows are deleted is not looked at: the log warns where they are not.
     */
    record Healthy() implements NodeHealth {}

    /**
     * Something is not as it should be. Most of it passes by itself, such as a database that is away; {@link Node#failure} is what does
     * not.
     *
     * @param reasons what and why, a sentence each, at least one, unmodifiable; for people, without payloads
     */
    record Unhealthy(List<String> reasons) implements NodeHealth {
        /**
         * With its reasons.
         *
         * @throws IllegalArgumentException if there is none
         */
        public Unhealthy {
            reasons = List.copyOf(reasons);
            if (reasons.isEmpty()) {
                throw new IllegalArgumentException("a node that is not healthy has a reason");
            }
        }
    }
}
