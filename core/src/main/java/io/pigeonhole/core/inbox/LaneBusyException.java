package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.StoreException;

/** Another transaction is at work in a lane of ordered keys: the same may well pass at once, or those of the lane are busy. */
final class LaneBusyException extends StoreException {
    private static final long serialVersionUID = 1L;

    LaneBusyException(int lanes, ClaimBlockedException cause) {
        super(
                ErrorClass.RETRY_NOW,
                "another transaction is at work in one of " + lanes + " lanes of ordered keys",
                cause);
    }
}
