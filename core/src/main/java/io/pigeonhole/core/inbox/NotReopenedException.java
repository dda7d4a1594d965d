package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.StoreException;

/** The database refused to put dead letters back to work: that copies messages, so that it may be one of them. */
final class NotReopenedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final StoreException refusal;

    NotReopenedException(StoreException refusal) {
        super(refusal.getMessage(), refusal);
        this.refusal = refusal;
    }

    StoreException refusal() {
        return refusal;
    }
}
