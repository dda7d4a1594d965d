package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.FailureText;

/** A partitioner, or other code that a producer is set to call, failed for a record. */
final class CodeOfTheProducerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CodeOfTheProducerException(Throwable cause) {
        super(
                "the partitioner, or other code that the producer calls, failed for this record: "
                        + FailureText.describe(cause),
                cause);
    }
}
