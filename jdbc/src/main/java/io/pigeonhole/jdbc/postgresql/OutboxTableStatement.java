package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about the two tables of messages to send, which stand in {@code outbox-tables.sql}. */
public enum OutboxTableStatement implements StatementName {
    /** Which one is appended to, and how large both are. */
    TABLES,
    /** As many rows as the first one has messages, up to a limit. */
    FIRST_MESSAGES_0,
    /** The same of the second. */
    FIRST_MESSAGES_1,
    /** Whether rows that are inserted are published by logical replication. */
    REPLICATED,
    /** Copies the messages of the first one to the second. */
    MOVE_FROM_0,
    /** The same the other way round. */
    MOVE_FROM_1,
    /** Keeps everybody out of the first one. */
    LOCK_0,
    /** The same of the second. */
    LOCK_1,
    /** Empties the first one, on disk too. */
    TRUNCATE_0,
    /** The same of the second. */
    TRUNCATE_1,
    /** Lets the first one be appended to. */
    APPEND_TO_0,
    /** The same of the second. */
    APPEND_TO_1,
    /** Reads the first messages of a work partition, from both. */
    APPENDED,
    /** Deletes messages from both. */
    REMOVE;

    @Override
    public String file() {
        return "outbox-tables";
    }

    /** Of those that there are two of. */
    OutboxTableStatement of(int generation) {
        return generation == 0 ? this : valueOf(name().replace("_0", "_1"));
    }
}
