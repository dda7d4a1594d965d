package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** What transactions on PostgreSQL begin and end with; it stands in {@code postgresql-transactions.sql}. */
public enum PostgresTransactionStatement implements StatementName {
    /** What every transaction of the engine begins with: how long it may be idle, and how long a statement may take. */
    BEGIN,
    BEGIN_AND_SET_SAVEPOINT,
    SET_SAVEPOINT,
    /** The same where there is one. */
    SET_NEXT_SAVEPOINT,
    ROLL_BACK_TO_SAVEPOINT,
    /** Whether a handler has changed its session. */
    IS_CHANGED,
    /** Puts back what it changed. */
    RESTORE,
    /** The temporary tables, views and sequences that there are. */
    TEMPORARY_TABLES,
    /** Ends all cursors, and answers how to drop what there was not, and whether the session may. */
    NEW_TEMPORARY_TABLES,
    /** In front of a statement of ours that may take its time, which may be a write of many rows. */
    LIFT_HANDLERS_LIMIT,
    /** Behind it. */
    SET_HANDLERS_LIMIT,
    /** In front of a search of ours that may take its time. */
    LIFT_LIMIT_OF_SEARCH,
    /** Behind it. */
    SET_LIMIT_BEHIND_SEARCH,
    /** Whether deferred constraints hold so far. */
    CHECK_CONSTRAINTS,
    /** Makes deferred constraints hold from here on. */
    FIRE_CONSTRAINTS,
    /** Proves that the transaction is ours and the session as it was, and commits. */
    COMMIT,
    /** What a transaction of the store's own begins with, away from the engine. */
    SHORT,
    /** The same where everything that is read is to belong to one moment. */
    SHORT_READ,
    /** Puts a schema before the others. */
    SEARCH_PATH,
    /** Locks a row that may not be there, until the transaction ends; false where another transaction has it. */
    LOCK_ROW,
    /** Whether the server takes writes. */
    IS_PRIMARY;

    @Override
    public String file() {
        return "postgresql-transactions";
    }
}
