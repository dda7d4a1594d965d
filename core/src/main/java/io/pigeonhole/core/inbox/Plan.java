package io.pigeonhole.core.inbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What earlier runs of a transaction have taught the next.
 *
 * @param failing messages known to fail: they are parked without running again
 * @param inHalves whether a claim of all keys together was blocked
 * @param isolated whether each message runs under a savepoint, so that one that fails costs only itself
 */
record Plan(Map<Envelope, Failure> failing, boolean inHalves, boolean isolated) {
    /** What the database has refused to write for a message; null for most. */
    @Nullable
    NotStoredException refusalOf(Envelope envelope) {
        if (failing.isEmpty()) {
            return null;
        }
        @Nullable Failure failure = failing.get(envelope);
        return failure != null && failure.cause() instanceof NotStoredException refusal ? refusal : null;
    }
}
