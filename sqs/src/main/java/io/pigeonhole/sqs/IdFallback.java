package io.pigeonhole.sqs;

/** What a message without an id in its attribute gets instead. */
public enum IdFallback {
    /** Nothing: the inbox puts it among the dead letters, with its bytes and its origin. */
    NONE,
    /**
     * The id that SQS gave it when it was sent, as {@code sqs:<MessageId>}. It distinguishes redeliveries of one message from
     * other messages, and that is all: whatever a producer sends a second time, or somebody moves back from a dead-letter
     * queue, has another one, and takes effect a second time.
     */
    TRANSPORT
}
