package io.pigeonhole.core.message;

/**
 * How a consumer distinguishes the messages that it has accepted from new ones. Stored when the consumer is registered;
 * changed by {@link io.pigeonhole.core.admin.Admin#deduplicateBy} only.
 */
public enum Deduplication {
    /** By the ids that producers give them, each kept in the ledger. */
    IDS,
    /**
     * By their place in a log: one row per partition says up to where all messages are accepted, and there is no ledger. What
     * a producer sends twice has two places and takes effect twice.
     */
    WATERMARKS,
    /** By both: by the place it recognises what the broker repeats, by the id what a producer repeats. */
    HYBRID;

    /**
     * Whether messages need a place in a log.
     *
     * @return false for {@link #IDS}
     */
    public boolean needsLog() {
        return this != IDS;
    }
}
