package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Retired;
import java.time.Instant;

/**
 * The rows of ledger and history that are past their time and go with no day, and how a database finds them. Each call deletes a
 * piece of them. Safe for use by many threads and many programs.
 */
public interface OldRows {
    /**
     * Deletes keys, but not those of messages that are unfinished or dead.
     *
     * @param oldest where the ledger begins
     */
    Retired purgeKeys(RetentionLook look, MessageKey oldest);

    /**
     * Deletes messages of the history, unless its days are dropped.
     *
     * @param now by the database's clock, when this call of the upkeep began
     */
    Retired purgeHistory(Instant now, FreshLook fresh);
}
