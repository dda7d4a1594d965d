package io.pigeonhole.core.inbox;

/** What becomes of a dead letter whose message is delivered again. It is counted in either case. */
public enum OnRedeliveredDeadLetter {
    /** It stays dead: most brokers repeat what they delivered, and the reason has not gone away by that. */
    KEEP,
    /**
     * It goes back to work: for those who mend the cause and then send the message again. Also one that a person has skipped, so that its
     * ordering key goes on: it may take effect behind what came after it.
     */
    REQUEUE
}
