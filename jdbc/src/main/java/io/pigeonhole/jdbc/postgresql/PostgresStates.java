package io.pigeonhole.jdbc.postgresql;

/** SQLSTATEs of PostgreSQL that are answered in a way of their own, by the names of its manual. */
final class PostgresStates {
    /** Of READ WRITE on a standby, and of whatever else a server cannot do: only the statement says which. */
    static final String FEATURE_NOT_SUPPORTED = "0A000";

    static final String UNIQUE_VIOLATION = "23505";

    /** Of a row that no partition is for; also that of a constraint that refuses it. */
    static final String CHECK_VIOLATION = "23514";

    /**
     * Of what can be set only before the first statement. So the commit fails where a handler has changed its session; a trigger has no
     * way to raise it but one that fails always.
     */
    static final String ACTIVE_SQL_TRANSACTION = "25001";

    /** Of everything behind a statement that has failed. */
    static final String IN_FAILED_SQL_TRANSACTION = "25P02";

    static final String READ_ONLY_SQL_TRANSACTION = "25006";

    /** Of a savepoint that went with its transaction. */
    static final String INVALID_SAVEPOINT_SPECIFICATION = "3B001";

    /** Of a statement of ours in the name of a role that a handler took, for instance. */
    static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** Of setting what no program can set. So the commit fails where the transaction is not ours any more. */
    static final String CANT_CHANGE_RUNTIME_PARAM = "55P02";

    /** Of a statement that waited longer for a lock than it may. */
    static final String LOCK_NOT_AVAILABLE = "55P03";

    /** Of a statement that took longer than its limit. */
    static final String QUERY_CANCELED = "57014";

    private PostgresStates() {}
}
