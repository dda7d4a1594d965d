package io.pigeonhole.jdbc.retention;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements that look for old rows of ledger and history key by key and id by id, where the database is not PostgreSQL. */
public enum OldRowStatement implements StatementName {
    /** The next consumer behind a number. */
    NEXT_CONSUMER,

    /** The next keys of a consumer behind one. */
    NEXT_KEYS,

    /** Locks those of the keys that nobody else has locked. */
    LOCK_KEYS,

    /** Deletes a key that is locked. */
    FORGET_KEY,

    /** When the oldest message of the history was processed. No row where there is none. */
    OLDEST_HISTORY,

    /** Messages of the history from before an instant behind an id; asked only where the history has no days. */
    OLD_HISTORY,

    /** Locks those of the messages that nobody else has locked. */
    LOCK_HISTORY,

    /** Deletes a message of the history that is locked. */
    FORGET_HISTORY;

    @Override
    public String file() {
        return "old-rows";
    }
}
