package io.pigeonhole.core.store;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.Utf8;
import io.pigeonhole.core.time.StoredTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a run over the history is about. It never changes once the run is made. Immutable.
 *
 * @param name the name of the run, 1 to {@value #LONGEST_NAME} characters; what makes it exactly once
 * @param consumer whose history
 * @param since when the messages were finished, this instant or later; null for no bound. Microseconds count
 * @param until when the messages were finished, before this instant; null for no bound. Microseconds count
 * @param type only messages of this type; null for all
 * @param source only messages from this source; null for all
 * @param orderingKey only messages with this ordering key; null for all
 * @param recovery whether the consumer's own handlers run again
 */
public record ReplayPlan(
        String name,
        String consumer,
        @Nullable Instant since,
        @Nullable Instant until,
        @Nullable String type,
        @Nullable String source,
        @Nullable OrderingKey orderingKey,
        boolean recovery) {
    /** The longest name, in characters. */
    public static final int LONGEST_NAME = 200;

    /** Checks the name, and cuts the instants to what every database keeps. */
    public ReplayPlan {
        if (name.isBlank() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the name of a replay needs 1 to " + LONGEST_NAME
                    + " characters that are not all blank, not '" + name + "'");
        }
        Utf8.require("the name of a replay", name);
        since = since == null ? null : StoredTime.nearest(since).truncatedTo(ChronoUnit.MICROS);
        until = until == null ? null : StoredTime.nearest(until).truncatedTo(ChronoUnit.MICROS);
        if (since != null && until != null && !since.isBefore(until)) {
            throw new IllegalArgumentException("nothing is finished since " + since + " and before " + until);
        }
    }

    /**
     * What another plan has otherwise.
     *
     * @param other a plan of the same name
     * @return for each difference a text with both; none where they are equal
     */
    public List<String> differences(ReplayPlan other) {
        List<String> differences = new ArrayList<>();
        note(differences, "consumer", consumer, other.consumer);
        note(differences, "since", since, other.since);
        note(differences, "until", until, other.until);
        note(differences, "type", type, other.type);
        note(differences, "source", source, other.source);
        note(differences, "key", orderingKey, other.orderingKey);
        note(differences, "recovery", recovery, other.recovery);
        return differences;
    }

    private static void note(List<String> differences, String what, @Nullable Object mine, @Nullable Object theirs) {
        if (!Objects.equals(mine, theirs)) {
            differences.add(what + " " + mine + ", not " + theirs);
        }
    }
}
