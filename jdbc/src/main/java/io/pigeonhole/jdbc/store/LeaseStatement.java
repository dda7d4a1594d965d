package io.pigeonhole.jdbc.store;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements of a heartbeat. */
public enum LeaseStatement implements StatementName {
    /** The leases that messages have now. */
    FIND,

    /** Locks of these the ones that nobody is about to finish. */
    LOCK,

    /** Prolongs the lease of a message that is locked. */
    PROLONG;

    @Override
    public String file() {
        return "leases";
    }
}
