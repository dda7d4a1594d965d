package io.pigeonhole.core.inbox;

import io.pigeonhole.core.store.Backlog.Due;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a transaction over a group of messages ended. */
sealed interface RunResult {
    /**
     * Committed.
     *
     * @param due where the messages are that were kept to be worked on later
     */
    record Committed(Set<Due> due) implements RunResult {}

    /** Rolled back. */
    sealed interface RolledBack extends RunResult {
        /** What made it fail. */
        Failure failure();
    }

    /** A transaction elsewhere holds one of the keys. */
    record Blocked(Failure failure) implements RolledBack {}

    /** This message failed. */
    record Culprit(Envelope envelope, Failure failure) implements RolledBack {
        Culprit tookTooLong() {
            return new Culprit(envelope, failure.tookTooLong());
        }
    }

    /** Some message failed, and it is not known which. */
    record Unattributed(Failure failure) implements RolledBack {}

    /** The database refused what was written about some message, and would do so again. */
    record Refused(Failure failure) implements RolledBack {}

    /**
     * The database refused a statement about messages before any handler had run, and not because it is away or others are in the
     * way: it is no message's failure, but maybe only about one.
     */
    record NotTaken(Failure failure) implements RolledBack {}

    /**
     * An infrastructure error, which counts as no attempt; the same may well pass at once.
     *
     * @param envelope whose handler met the error, null where it was no handler
     * @param beforeHandlers whether no handler had run yet, so that no message can be at fault
     */
    record Transient(@Nullable Envelope envelope, Failure failure, boolean beforeHandlers) implements RolledBack {}
}
