package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Headers;
import java.time.Duration;

/** What became of a request with an idempotency key. */
public sealed interface RequestOutcome {
    /** A short name for logs, counts and labels of metrics: that of the record in lower case with underscores. */
    enum Kind {
        /** See {@link Executed}. */
        EXECUTED,
        /** See {@link NotStored}. */
        NOT_STORED,
        /** See {@link Replayed}. */
        REPLAYED,
        /** See {@link InProgress}. */
        IN_PROGRESS,
        /** See {@link FingerprintMismatch}. */
        FINGERPRINT_MISMATCH,
        /** See {@link NotReplayable}. */
        NOT_REPLAYABLE
    }

    /**
     * Its kind.
     *
     * @return one for each record
     */
    Kind kind();

    /**
     * The request was handled, and key, effects and response are committed.
     *
     * @param response what the handler answered
     */
    record Executed(StoredResponse response) implements RequestOutcome {
        @Override
        public Kind kind() {
            return Kind.EXECUTED;
        }
    }

    /**
     * The request was handled, and its handler asked for a rollback: nothing is stored.
     *
     * @param response what the handler answered
     */
    record NotStored(StoredResponse response) implements RequestOutcome {
        @Override
        public Kind kind() {
            return Kind.NOT_STORED;
        }
    }

    /**
     * The request was handled before; its handler did not run.
     *
     * @param response what was answered then
     */
    record Replayed(StoredResponse response) implements RequestOutcome {
        @Override
        public Kind kind() {
            return Kind.REPLAYED;
        }
    }

    /**
     * Another request with this key is being handled, here or elsewhere.
     *
     * @param retryAfter when to ask again
     */
    record InProgress(Duration retryAfter) implements RequestOutcome {
        @Override
        public Kind kind() {
            return Kind.IN_PROGRESS;
        }
    }

    /** The key was used for a request that asked for something else. What is stored stays as it is. */
    record FingerprintMismatch() implements RequestOutcome {
        @Override
        public Kind kind() {
            return Kind.FINGERPRINT_MISMATCH;
        }
    }

    /**
     * The request was handled before, and its response was too large to be stored.
     *
     * @param status what it was answered with
     * @param headers those of the response
     */
    record NotReplayable(int status, Headers headers) implements RequestOutcome {
        @Override
        public Kind kind() {
            return Kind.NOT_REPLAYABLE;
        }
    }
}
