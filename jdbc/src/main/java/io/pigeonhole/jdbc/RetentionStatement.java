package io.pigeonhole.jdbc;

/** The statements about what the store forgets, where the database is not PostgreSQL. */
enum RetentionStatement implements StatementName {
    /** Adds a task that looks through a table. */
    ADD_TASK,

    /** Whether there is such a task. */
    HAS_TASK,

    /**
     * Locks a task, and tells where to go on. No row where another node is at it, and where there is nothing to do before its
     * time.
     */
    ENTER_TASK,

    /** Notes where a task came to. */
    NOTE_TASK,

    /** Lets the ledger begin later. */
    RAISE_HORIZON,

    /** The next consumer behind a number. */
    NEXT_CONSUMER,

    /** The next keys of a consumer behind one. */
    NEXT_KEYS,

    /** Which keys are of messages that are unfinished or dead. */
    UNFINISHED_KEYS,

    /** Locks those of the keys that nobody else has locked. */
    LOCK_KEYS,

    /** Deletes a key that is locked. */
    FORGET_KEY,

    /** Attempts from before an instant behind an id, with whose they are. */
    OLD_ATTEMPTS,

    /** Locks those of the attempts that nobody else has locked. */
    LOCK_ATTEMPTS,

    /** Deletes an attempt that is locked. */
    FORGET_ATTEMPT,

    /** Entries of the audit from before an instant behind an id. */
    OLD_AUDIT,

    /** Locks those of the entries that nobody else has locked. */
    LOCK_AUDIT,

    /** Deletes an entry that is locked. */
    FORGET_AUDIT,

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
        return "retention";
    }
}
