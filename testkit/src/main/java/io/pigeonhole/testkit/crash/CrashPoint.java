package io.pigeonhole.testkit.crash;

/**
 * A place around a port: just before a call, or just after it returned. A call that throws does not reach its second place.
 */
public enum CrashPoint {
    /** Before a transaction begins. */
    BEFORE_BEGIN,
    /** The transaction has begun. */
    AFTER_BEGIN,
    /** Before the messages are claimed. */
    BEFORE_CLAIM,
    /** The messages are claimed, uncommitted. */
    AFTER_CLAIM,
    /** Before unclaimed messages are looked up in work and dead letters. */
    BEFORE_KNOWN,
    /** They are looked up. */
    AFTER_KNOWN,
    /** Before the handler of a message, if it is decorated by {@link CrashPlan#handler}. */
    BEFORE_HANDLER,
    /** The handler has written, uncommitted. */
    AFTER_HANDLER,
    /** Before the deferred writes are sent. */
    BEFORE_FLUSH,
    /** The deferred writes are sent, uncommitted. */
    AFTER_FLUSH,
    /** Before a savepoint. */
    BEFORE_SAVEPOINT,
    /** The savepoint is set. */
    AFTER_SAVEPOINT,
    /** Before a message's writes are undone. */
    BEFORE_ROLLBACK_TO_SAVEPOINT,
    /** The writes are undone. */
    AFTER_ROLLBACK_TO_SAVEPOINT,
    /** Before deferred constraints are checked. */
    BEFORE_CHECK_CONSTRAINTS,
    /** The constraints hold. */
    AFTER_CHECK_CONSTRAINTS,
    /** Before failed messages are parked. */
    BEFORE_PARK,
    /** They are parked, uncommitted. */
    AFTER_PARK,
    /** Before messages go to the dead letters. */
    BEFORE_BURY,
    /** They are there, uncommitted. */
    AFTER_BURY,
    /** Before finished messages are recorded in the history. */
    BEFORE_RECORD,
    /** They are recorded, uncommitted. */
    AFTER_RECORD,
    /** Everything is written, nothing committed. */
    BEFORE_COMMIT,
    /** Everything is committed, nobody has been told. */
    AFTER_COMMIT,
    /** Before a transaction that was not committed is rolled back. */
    BEFORE_ROLLBACK,
    /** It is rolled back. */
    AFTER_ROLLBACK,
    /** The outcome is known, the broker has not been told. */
    BEFORE_ACKNOWLEDGE,
    /** The broker has been told. */
    AFTER_ACKNOWLEDGE
}
