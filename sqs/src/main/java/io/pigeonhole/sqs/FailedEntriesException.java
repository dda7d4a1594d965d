package io.pigeonhole.sqs;

/** SQS took a call, and failed for some of its messages. */
final class FailedEntriesException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FailedEntriesException(String message) {
        super(message);
    }
}
