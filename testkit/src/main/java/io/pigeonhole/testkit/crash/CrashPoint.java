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
    BEFORE_DEAD_LETTER,
    /** They are there, uncommitted. */
    AFTER_DEAD_LETTER,
    /** Before the work partitions of ordered keys are locked. */
    BEFORE_LOCK,
    /** They are locked. */
    AFTER_LOCK,
    /** Before it is asked which keys are blocked. */
    BEFORE_BLOCKED,
    /** It is answered. */
    AFTER_BLOCKED,
    /** Before messages are stored to be worked on later. */
    BEFORE_RECEIVE,
    /** They are stored, uncommitted. */
    AFTER_RECEIVE,
    /** Before a worker enters a work partition. */
    BEFORE_ENTER,
    /** It is in the work partition, or was not let in. */
    AFTER_ENTER,
    /** Before due messages are taken, for the first time or again. */
    BEFORE_TAKE,
    /** They are taken. */
    AFTER_TAKE,
    /** Before the messages of an outbox are read. */
    BEFORE_APPENDED,
    /** They are read. */
    AFTER_APPENDED,
    /** Before a message is handed to a broker, by publishers that pass it. */
    BEFORE_PUBLISH,
    /** The broker has it and keeps it, and has not said so. */
    AFTER_PUBLISH,
    /** Before published messages are deleted from the outbox. */
    BEFORE_REMOVE_APPENDED,
    /** They are deleted, uncommitted. */
    AFTER_REMOVE_APPENDED,
    /** Before messages that failed again are postponed. */
    BEFORE_POSTPONE,
    /** They are postponed, uncommitted. */
    AFTER_POSTPONE,
    /** Before finished messages are taken out of work. */
    BEFORE_FINISH,
    /** They are out of work, uncommitted. */
    AFTER_FINISH,
    /** Before messages are leased. */
    BEFORE_LEASE,
    /** They are leased, uncommitted. */
    AFTER_LEASE,
    /** Before a leased message is held for its completion. */
    BEFORE_HOLD,
    /** It is held, or its lease is lost. */
    AFTER_HOLD,
    /** Before leases are prolonged. */
    BEFORE_HEARTBEAT,
    /** They are prolonged. */
    AFTER_HEARTBEAT,
    /** Before expired leases are taken. */
    BEFORE_TAKE_EXPIRED,
    /** They are taken, uncommitted. */
    AFTER_TAKE_EXPIRED,
    /** Before redelivered dead letters are counted. */
    BEFORE_SEEN_AGAIN,
    /** They are counted, uncommitted. */
    AFTER_SEEN_AGAIN,
    /** Before dead letters go back to work. */
    BEFORE_REOPEN,
    /** They are back in work, uncommitted. */
    AFTER_REOPEN,
    /** Before the watermarks of logs are read. */
    BEFORE_WATERMARKS,
    /** They are read. */
    AFTER_WATERMARKS,
    /** Before watermarks are advanced. */
    BEFORE_ADVANCE,
    /** They are advanced, uncommitted, or will be with the commit. */
    AFTER_ADVANCE,
    /** Before a partition of a log is acquired. */
    BEFORE_ACQUIRE,
    /** It is acquired. */
    AFTER_ACQUIRE,
    /** Before finished messages are recorded in the history. */
    BEFORE_RECORD,
    /** They are recorded, uncommitted. */
    AFTER_RECORD,
    /** Before the next messages of a replay are read. */
    BEFORE_REPLAY_READ,
    /** They are read, and the replay is held. */
    AFTER_REPLAY_READ,
    /** Before the progress of a replay is moved. */
    BEFORE_REPLAY_MOVE,
    /** It is moved, uncommitted. */
    AFTER_REPLAY_MOVE,
    /** Everything is written, nothing committed. */
    BEFORE_COMMIT,
    /** Everything is committed, no listener has been called. */
    AFTER_COMMIT,
    /** Before a transaction that was not committed is rolled back. */
    BEFORE_ROLLBACK,
    /** It is rolled back. */
    AFTER_ROLLBACK,
    /** The outcome is known, the delivery is not acknowledged. */
    BEFORE_ACKNOWLEDGE,
    /** The delivery is acknowledged. */
    AFTER_ACKNOWLEDGE
}
