package io.pigeonhole.jdbc;

/**
 * The statements about the numbers that the database gives to rows, of which the next one has to be larger than all that rows
 * have or refer to. Where the database is not PostgreSQL.
 */
enum NumberStatement implements StatementName {
    /**
     * The largest numbers that rows have, and the largest that other tables refer to: of work and the dead letters, of the
     * attempts, of the audit, of the history and its replays, of the consumers and what is theirs.
     */
    LARGEST,

    /** The number that the next row of a table gets; asked only where {@link Dialect#countsNumbersOfRows} says no. */
    NEXT,

    /** Takes a place in work that no message has: a row of no consumer, deleted again in the same transaction. */
    TAKE_WORK,

    /** The same in the history. */
    TAKE_HISTORY,

    /** The same among the consumers. */
    TAKE_CONSUMER,

    /** Deletes the row in the history again. */
    FREE_HISTORY,

    /** Deletes the row among the consumers again. */
    FREE_CONSUMER,

    /** A number behind all that work and the dead letters have. */
    BEHIND_ALL;

    @Override
    public String file() {
        return "numbers";
    }
}
