package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.store.FailedAttempt;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * What a message failed with.
 *
 * @param tooLong whether it took so long that its transaction was lost, or was given up: the next message may do so too, and what was before
 *     it is to be committed first
 */
record Failure(Throwable cause, ErrorClass errorClass, Duration duration, boolean tooLong) {
    Failure(Throwable cause, ErrorClass errorClass, Duration duration) {
        this(cause, errorClass, duration, cause instanceof HandlerTimeoutException);
    }

    /** It was away from the database for longer than handlers may, and its transaction does not go on behind it. */
    Failure tookTooLong() {
        return new Failure(cause, errorClass, duration, true);
    }

    /** The message's own, whatever the database means by it. */
    Failure ofMessage() {
        return new Failure(cause, ErrorClass.MESSAGE, duration, tooLong);
    }

    /** What an external handler threw is the message's failure, whatever another database meant by it. */
    static Failure ofExternal(Throwable cause, ErrorClass errorClass, Duration duration) {
        boolean permanent = errorClass == ErrorClass.PERMANENT;
        return new Failure(cause, permanent ? ErrorClass.PERMANENT : ErrorClass.MESSAGE, duration);
    }

    /**
     * What a decoder threw that says nothing about the bytes: a missing class, an interrupt, memory that is used up, maybe by
     * a wrong length in these bytes. An attempt of the message failed.
     */
    static Failure ofDecoder(Throwable cause) {
        return new Failure(cause, ErrorClass.MESSAGE, Duration.ZERO);
    }

    /** Whether what a decoder threw says that the same bytes will never be decoded. */
    static boolean isUndecodable(Throwable cause) {
        boolean ofTime = cause instanceof InterruptedException || cause instanceof TimeoutException;
        return (cause instanceof Exception && !ofTime) || cause instanceof StackOverflowError;
    }

    boolean isPermanent() {
        return errorClass == ErrorClass.PERMANENT;
    }

    /** The failure in words: its class, unless the handler spoke for itself, its text, and what it was caused by. */
    String describe() {
        return FailureText.describeWithCause(cause);
    }

    FailedAttempt attempt(int number, String node) {
        return new FailedAttempt(
                number,
                node,
                duration,
                FailureText.classOf(cause),
                FailureText.messageWithCause(cause),
                FailureText.stackOf(cause));
    }
}
