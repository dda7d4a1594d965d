package io.pigeonhole.core.admin;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.time.StoredTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What messages in work and dead letters are both looked for by; null for all. */
record MessageConditions(
        @Nullable String type,
        @Nullable String source,
        @Nullable OrderingKey orderingKey,
        @Nullable String errorContains,
        @Nullable Instant since,
        @Nullable Instant until) {
    static final MessageConditions NONE = new MessageConditions(null, null, null, null, null, null);

    MessageConditions {
        if (errorContains != null && errorContains.length() > WorkFilter.LONGEST_TEXT) {
            throw new IllegalArgumentException("the text has " + errorContains.length() + " characters; "
                    + WorkFilter.LONGEST_TEXT + " are allowed");
        }
        since = since == null ? null : StoredTime.nearest(since);
        until = until == null ? null : StoredTime.nearest(until);
    }

    MessageConditions withType(String type) {
        return new MessageConditions(type, source, orderingKey, errorContains, since, until);
    }

    MessageConditions withSource(String source) {
        return new MessageConditions(type, source, orderingKey, errorContains, since, until);
    }

    MessageConditions withOrderingKey(OrderingKey orderingKey) {
        return new MessageConditions(type, source, orderingKey, errorContains, since, until);
    }

    MessageConditions withErrorContaining(String text) {
        return new MessageConditions(type, source, orderingKey, text, since, until);
    }

    MessageConditions withTime(@Nullable Instant since, @Nullable Instant until) {
        return new MessageConditions(type, source, orderingKey, errorContains, since, until);
    }

    @Override
    public String toString() {
        return part("type", type)
                + part("source", source)
                + part("", orderingKey)
                + part("error containing", errorContains)
                + part("since", since)
                + part("until", until);
    }

    private static String part(String name, @Nullable Object value) {
        return value == null ? "" : ", " + (name.isEmpty() ? "" : name + " ") + value;
    }
}
