package io.pigeonhole.jdbc.generic;

import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about the ledger, its days, the work partitions and the history, where the database is not PostgreSQL. */
public enum LedgerStatement implements StatementName {
    /** The database's clock, in microseconds since 1970; nothing else reads it. */
    NOW,

    /** Whether the database takes writes. */
    IS_WRITABLE,

    /**
     * Where the ledger begins and ends, for a transaction of the caller, as it is now and not as it was when that transaction
     * began; where {@link Dialect#holdsBounds} says so, it stays so until the transaction ends.
     */
    HOLD_BOUNDS,

    /** Lets the ledger end later. */
    EXTEND_LEDGER,

    /**
     * The ledger's bounds, whether the consumer is paused, and which of the keys the ledger has, all of one moment and without locks:
     * one row with the first two, and one for each key.
     */
    LOOK,

    /** Inserts keys. Waits for others that have inserted one of them; fails where one is there. */
    CLAIM,

    /** Where the ledger begins by now, and whether the consumer has dead letters. */
    END_OF_CLAIM,

    /** Which of the keys are of unfinished or dead messages. */
    KNOWN,

    /** The hashes of payloads that the ledger has for keys. */
    HASHES,

    /** The payloads of unfinished and dead messages that are kept. */
    PAYLOADS,

    /** Writes a message that has taken effect to the history. */
    RECORD,

    /** Locks work partitions as those do who store messages. */
    LOCK_WORK_PARTITIONS,

    /** Locks a work partition as those do who work in it; no row where another is there. */
    ENTER_WORK_PARTITION;

    @Override
    public String file() {
        return "ledger";
    }
}
