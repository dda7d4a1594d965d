package io.pigeonhole.jdbc.sql;

/** The statements about one message that administrators need, and the engine as well where the database is not PostgreSQL. */
public enum MessageStatement implements StatementName {
    /** Notes an attempt that failed. */
    ADD_ATTEMPT,

    /** Deletes a message in work that is locked. */
    DELETE_FROM_WORK,

    /** Deletes a dead letter that is locked. */
    DELETE_DEAD_LETTER;

    @Override
    public String file() {
        return "messages";
    }
}
