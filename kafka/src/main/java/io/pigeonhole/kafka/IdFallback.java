package io.pigeonhole.kafka;

/** What a message without an id in its header gets instead. */
public enum IdFallback {
    /** Nothing: the inbox puts it among the dead letters, with its bytes and its origin. */
    NONE,
    /**
     * Its place with the broker, as {@code kafka:<cluster id>/<topic id>/<partition>/<offset>}. It distinguishes
     * redeliveries of one record from other records, also when the topic is deleted and made anew under the same
     * name, and that is all: whatever a producer, a relay or a mirror sends a second time has another place, and takes
     * effect a second time.
     */
    TRANSPORT
}
