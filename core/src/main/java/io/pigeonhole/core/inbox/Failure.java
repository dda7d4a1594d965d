package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.store.FailedAttempt;
import java.time.Duration;

/** What a message failed with. */
record Failure(Throwable cause, ErrorClass errorClass, Duration duration) {

    /** What an external handler threw is the message's failure, whatever another database meant by it. */
    static Failure ofExternal(Throwable cause, ErrorClass errorClass, Duration duration) {
        if (cause instanceof VirtualMachineError fatal && !(cause instanceof StackOverflowError)) {
            throw fatal;
        }
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        boolean permanent = errorClass == ErrorClass.PERMANENT;
        return new Failure(cause, permanent ? ErrorClass.PERMANENT : ErrorClass.MESSAGE, duration);
    }

    boolean isPermanent() {
        return errorClass == ErrorClass.PERMANENT;
    }

    /** The failure in words: its class, unless the handler spoke for itself, and its text. */
    String describe() {
        String text = ErrorText.bounded(cause.getMessage());
        return cause instanceof PermanentFailure ? text : cause.getClass().getName() + ": " + text;
    }

    FailedAttempt attempt(int number, String node) {
        return new FailedAttempt(
                number,
                node,
                duration,
                cause.getClass().getName(),
                ErrorText.bounded(cause.getMessage()),
                ErrorText.stackOf(cause));
    }
}
