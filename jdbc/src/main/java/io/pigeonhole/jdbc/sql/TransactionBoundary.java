package io.pigeonhole.jdbc.sql;

import java.sql.SQLException;

/** How one of the {@link ShortTransactions} begins and ends on its connection, whose auto-commit is off. Used by one thread. */
public interface TransactionBoundary {
    /**
     * Executes what the transaction begins with.
     *
     * @param atOneMoment whether it only reads, all as it is at one moment
     */
    AdminSession begin(boolean atOneMoment) throws SQLException;

    /** Directly before COMMIT: fails where the database would lose it. */
    default void beforeCommit() throws SQLException {}

    /** Behind the end: puts back what the beginning has changed, and the end did not. */
    default void end() throws SQLException {}
}
