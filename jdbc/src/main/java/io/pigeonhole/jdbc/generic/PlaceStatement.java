package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about places in the order of arrival, where the database is not PostgreSQL. */
public enum PlaceStatement implements StatementName {
    /** Takes the next place: a row in work of no consumer, deleted again in the same transaction, whose id the database makes. */
    TAKE_NEXT,

    /** The same for a place that no message has. */
    TAKE,

    /** A place behind all that work and the dead letters have. */
    BEHIND_ALL;

    @Override
    public String file() {
        return "places";
    }
}
