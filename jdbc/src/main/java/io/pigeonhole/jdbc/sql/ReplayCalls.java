package io.pigeonhole.jdbc.sql;

import java.sql.SQLException;

/** Prepares statements about runs over the history in a transaction. Used by one thread. */
public interface ReplayCalls {
    /** A statement to be bound and closed. */
    Call replay(ReplayStatement statement) throws SQLException;

    /** Reads the rows of the answers. */
    AdminRows rows();
}
