package io.pigeonhole.core.failure;

/** The consumer is paused: nothing was done, hand the same messages in again once it is resumed. */
public class ConsumerPausedException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception for a consumer.
     *
     * @param consumer the consumer's name
     */
    public ConsumerPausedException(String consumer) {
        super("consumer '" + consumer + "' is paused; it goes on when somebody resumes it (Admin.resume)", null);
    }
}
