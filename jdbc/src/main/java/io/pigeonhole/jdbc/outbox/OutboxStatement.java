package io.pigeonhole.jdbc.outbox;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about messages to send, which stand in {@code outbox.sql}. */
public enum OutboxStatement implements StatementName {
    /** Adds a message. Parameters in the order of {@link OutboxColumns}. */
    APPEND,
    /** The same where transactions that append to one key wait for each other. PostgreSQL waits in it. */
    APPEND_IN_ORDER,
    /** Waits, before it, on other databases. */
    LOCK_ORDER,
    /** Which of the work partitions of a list have messages. */
    WITH_APPENDED;

    @Override
    public String file() {
        return "outbox";
    }
}
