package io.pigeonhole.core.store;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.PigeonholeException;
import java.util.List;

/** Says why nothing can be stored now, for health reports and logs. */
public final class StoreRefusal {
    private StoreRefusal() {}

    /**
     * Whether only a person ends it: somebody has paused the consumer.
     *
     * @param failure why nothing could be stored
     * @return true for a {@link ConsumerPausedException}
     */
    public static boolean isPause(Throwable failure) {
        return failure instanceof ConsumerPausedException;
    }

    /**
     * Why nothing can be stored, in a sentence without values of messages.
     *
     * @param failure what was thrown
     * @return that the consumer is paused and how to resume it, or what the database was asked and answered, with its SQLSTATE where there
     *     is one
     */
    public static String describe(Throwable failure) {
        if (isPause(failure)) {
            return FailureText.messageOf(failure);
        }
        String text = FailureText.describe(failure);
        // Those of others may be of a handler, and have values in their texts.
        List<Throwable> ours = Causes.of(failure).stream()
                .filter(PigeonholeException.class::isInstance)
                .toList();
        String first = ours.isEmpty() ? "" : FailureText.describe(ours.get(ours.size() - 1));
        boolean isSaid = first.isEmpty() || text.contains(FailureText.messageOf(ours.get(ours.size() - 1)));
        return "the database is away or refuses to commit: " + text + (isSaid ? "" : ", by " + first);
    }
}
