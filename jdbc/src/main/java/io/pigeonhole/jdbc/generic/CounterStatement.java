package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about the counters that give numbers to rows, where the database is not PostgreSQL. */
public enum CounterStatement implements StatementName {
    /** The number that the next row of a table gets; asked only where {@link Dialect#countsNumbersOfRows} says no. */
    NEXT,

    /** Adds a row with a number to the history: of no consumer, deleted again in the same transaction. */
    TAKE_HISTORY,

    /** Deletes that row of the history again. */
    FREE_HISTORY,

    /** The same among the consumers. */
    TAKE_CONSUMER,

    /** Deletes the row among the consumers again. */
    FREE_CONSUMER;

    @Override
    public String file() {
        return "counters";
    }
}
