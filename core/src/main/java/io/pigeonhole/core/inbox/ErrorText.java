package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.FailureText;
import org.jspecify.annotations.Nullable;

/** Texts that are stored with a message, see {@link FailureText}. */
final class ErrorText {
    private ErrorText() {}

    static String bounded(@Nullable String text) {
        return FailureText.bounded(text);
    }

    static String stackOf(Throwable failure) {
        return FailureText.stackOf(failure);
    }
}
