package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** What transactions on PostgreSQL begin and end with; it stands in {@code postgresql-transactions.sql}. */
public enum PostgresTransactionStatement implements StatementName {
    /** What a transaction of the store's own begins with, away from the engine. */
    SHORT,
    /** The same where everything that is read is to belong to one moment. */
    SHORT_READ,
    /** Puts a schema before the others. */
    SEARCH_PATH,
    /** Whether the server takes writes. */
    IS_PRIMARY;

    @Override
    public String file() {
        return "postgresql-transactions";
    }
}
