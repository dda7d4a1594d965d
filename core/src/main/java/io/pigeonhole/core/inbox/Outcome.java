package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.DeadReason;
import java.time.Duration;

/**
 * The outcome of one delivery of a message. It is reported after the commit. If the process crashes in between, the report is
 * lost, the effect is not; the next delivery of the message has an outcome of its own.
 */
public sealed interface Outcome {
    /** The outcomes by name, for {@code switch} before Java 21 and for metrics. */
    enum Kind {
        /** See {@link Processed}. */
        PROCESSED,
        /** See {@link Duplicate}. */
        DUPLICATE,
        /** See {@link Parked}. */
        PARKED,
        /** See {@link Dead}. */
        DEAD,
        /** See {@link Busy}. */
        BUSY,
        /** See {@link Received}. */
        RECEIVED,
        /** See {@link Ignored}. */
        IGNORED
    }

    /**
     * Which of the outcomes this is.
     *
     * @return its kind
     */
    Kind kind();

    /**
     * Whether the delivery may be acknowledged to the broker: this database has taken the message over.
     *
     * @return true for all but {@link Busy}
     */
    default boolean settled() {
        return true;
    }

    /** The message's handler ran and its effect is committed. */
    record Processed() implements Outcome {
        @Override
        public Kind kind() {
            return Kind.PROCESSED;
        }
    }

    /** The message was accepted before, by an earlier delivery or by one in the same batch; nothing was done now. */
    record Duplicate() implements Outcome {
        @Override
        public Kind kind() {
            return Kind.DUPLICATE;
        }
    }

    /**
     * The message failed and is kept in the database until it is due for another attempt.
     *
     * @param attempts how many attempts have failed
     * @param dueIn how long after this outcome it is due
     * @param error what the handler threw
     */
    record Parked(int attempts, Duration dueIn, String error) implements Outcome {
        @Override
        public Kind kind() {
            return Kind.PARKED;
        }
    }

    /**
     * The message is given up on and kept among the dead letters, with its bytes: it failed for good, or cannot be used, or is older
     * than the ledger ({@link DeadReason#LATE}), or has the id of another message ({@link DeadReason#CONFLICT}).
     *
     * @param reason why
     * @param detail the reason in words
     */
    record Dead(DeadReason reason, String detail) implements Outcome {
        @Override
        public Kind kind() {
            return Kind.DEAD;
        }
    }

    /**
     * The message is stored and will be worked on later: because the inbox stores first, because it needs a lease, or
     * because others of its ordering key are before it.
     */
    record Received() implements Outcome {
        @Override
        public Kind kind() {
            return Kind.RECEIVED;
        }
    }

    /**
     * The message's handler threw what its retry policy says to ignore: the message is finished, without an effect.
     *
     * @param error what the handler threw
     */
    record Ignored(String error) implements Outcome {
        @Override
        public Kind kind() {
            return Kind.IGNORED;
        }
    }

    /**
     * Another transaction is working on the same message, or none could be committed for it. Nothing is decided: do not
     * acknowledge, hand the message in again later.
     *
     * @param why what was in the way
     */
    record Busy(String why) implements Outcome {
        @Override
        public Kind kind() {
            return Kind.BUSY;
        }

        @Override
        public boolean settled() {
            return false;
        }
    }
}
