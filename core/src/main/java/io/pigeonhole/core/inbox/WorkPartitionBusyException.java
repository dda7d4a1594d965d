package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;

/** Another transaction is at work in a work partition of ordered keys: the same may well pass at once, or those of the work partition are busy. */
final class WorkPartitionBusyException extends StoreException {
    private static final long serialVersionUID = 1L;

    WorkPartitionBusyException(int workPartitions, ClaimBlockedException cause) {
        super(
                ErrorClass.RETRY_NOW,
                "another transaction is at work in one of " + workPartitions + " work partitions of ordered keys",
                cause);
    }
}
