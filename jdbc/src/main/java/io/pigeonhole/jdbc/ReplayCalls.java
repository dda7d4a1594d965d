package io.pigeonhole.jdbc;

import java.sql.SQLException;

/** Prepares statements about runs over the history in a transaction of one kind of database. Used by one thread. */
@FunctionalInterface
interface ReplayCalls {
    /** A statement to be bound and closed. */
    AdminCall replay(ReplayStatement statement) throws SQLException;
}
