package io.pigeonhole.jdbc.retention;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements of retention. */
public enum RetentionStatement implements StatementName {
    /** Whether there is a task that looks through a table. */
    HAS_TASK,

    /** Adds such a task. */
    ADD_TASK,

    /**
     * Locks a task, and reads where to go on. No row where another node is at it, and where there is nothing to do before its
     * time.
     */
    ENTER_TASK,

    /** Notes where a task came to. */
    NOTE_TASK,

    /** Lets the ledger begin later. */
    RAISE_BOUNDS,

    /** Which keys are of messages that are unfinished or dead. */
    UNFINISHED_KEYS,

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
    FORGET_AUDIT;

    @Override
    public String file() {
        return "retention";
    }
}
