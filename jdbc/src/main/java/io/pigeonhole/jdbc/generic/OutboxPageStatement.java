package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements with which a relay reads and deletes messages to send, which stand in {@code outbox-pages.sql}. */
public enum OutboxPageStatement implements StatementName {
    /** Position and bytes of the first messages of a work partition. */
    PAGE,
    /** The messages of a list of positions, in no order. */
    READ,
    /** Deletes a message. */
    REMOVE,
    /** An unfinished message of a work partition, if there is one. */
    FIRST_WAITING,
    /** A dead letter of it that blocks, if there is one. */
    FIRST_BLOCKING;

    @Override
    public String file() {
        return "outbox-pages";
    }
}
