package io.pigeonhole.jdbc;

/** The statements of a heartbeat. */
enum LeaseStatement implements StatementName {
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
