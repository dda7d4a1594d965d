package io.pigeonhole.core.admin;

/** Where a message is. The names are stored in lower case; they never change. */
public enum MessageStatus {
    /** In work; no handler has seen it, or somebody gave it a new beginning. */
    RECEIVED,
    /** In work; it failed and waits for another attempt. */
    PARKED,
    /** In work; a node has a lease on it. */
    LEASED,
    /** Given up on, until somebody decides about it. */
    DEAD,
    /** In the ledger and nowhere else: its effect is committed, or its retry policy said to ignore its failure. */
    PROCESSED,
    /** Somebody decided that it is never to be processed. */
    DISCARDED;

    /**
     * Whether messages of this status are in work.
     *
     * @return true for received, parked and leased
     */
    public boolean isInWork() {
        return this == RECEIVED || this == PARKED || this == LEASED;
    }
}
