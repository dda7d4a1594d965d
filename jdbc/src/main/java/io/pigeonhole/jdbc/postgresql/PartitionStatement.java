package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.jdbc.sql.StatementName;

/** The statements about partitions, which only PostgreSQL has; they stand in {@code partitions.sql}. */
public enum PartitionStatement implements StatementName {
    /** When the partitions of the history begin, the newest first, without those that have no beginning. */
    BEGINNINGS_OF_HISTORY,
    /** The smallest keys of the partitions of the ledger, the largest first, without those that have none. */
    BEGINNINGS_OF_LEDGER,
    /**
     * The days of a table by their names, oldest first, attached or to be dropped: with whether they are attached, whether we began
     * to detach them and did not end, where those that are attached begin and end, their schema, and whether it is unknown who
     * detached them.
     */
    DAYS,
    /**
     * The days of the history that we marked and that are detached, or about to be, oldest first: with whether they are attached,
     * and whether we detached them, which is unknown otherwise.
     */
    DETACHED_HISTORY,
    /** Before a day is detached: notes the table, and how many constraints it has. */
    MARK,
    /** Notes that a marked day was detached by us. */
    NOTE_DETACHED,
    /** Takes the mark of a day away. */
    UNMARK,
    /** Detaches a day. Not in a transaction. */
    DETACH,
    /** Whether transactions of the session only read by default, as a role or a database may say. */
    ONLY_READS,
    /** Lets them write, before {@link #DETACH}. */
    WRITE,
    /** Lets them only read again, behind it. */
    ONLY_READ,
    /** Detaches a day where the server cannot do that concurrently, and notes it. */
    DETACH_AT_ONCE,
    /** Ends a detaching that was interrupted, and notes it. */
    FINISH_DETACHING,
    /** Drops a detached day, and its mark. */
    DROP,
    /** Whether messages of a detached day belong to a run that is not over. */
    IS_NEEDED,
    /** How many rows a detached day has. */
    COUNT,
    /** Attaches a day again. */
    ATTACH,
    /** The constraints that detaching has left on a day which has it in its bounds again. */
    LEFT_CHECKS,
    /** Drops such a constraint. */
    DROP_CHECK,
    /** Makes the table of the keys in digest form anew for hash partitions; it is empty. */
    SPLIT_DIGESTS,
    /** Adds a hash partition to it. */
    ADD_DIGESTS,
    /** The tables that hold the keys in digest form, and how many pages each has: one, or those of the hash partitions. */
    DIGEST_TABLES,
    /** Takes a task for a while; changes no row where another node is at it. */
    TAKE_TASK,
    /** Gives a task back. */
    RELEASE_TASK,
    /**
     * Keeps runs over the history from being made before this transaction ends, and says whether none was made since a hold was
     * taken.
     */
    HOLD_HISTORY,
    /** Prolongs a hold, unless it has ended. */
    RENEW_HOLD,
    /** Deletes keys in digest form from some pages of a table, in the order in which they lie. */
    PURGE_DIGESTS,
    /** Where the ledger ends, as days since 1970 in UTC by the database's clock today and the day in ten minutes, where it begins. */
    END_OF_LEDGER,
    /** Moves the end of the ledger ahead. */
    EXTEND_LEDGER,
    /** Whether a table has a partition, in whichever schema, and whether anything bears its name where it would be. */
    DAY_OF_TABLE,
    /** The bounds of a partition, as its definition has them. */
    BOUNDS_OF_DAY,
    /** To whom a new partition is to belong. */
    OWNER_OF_DAYS,
    /** A new day. */
    ADD_DAY;

    @Override
    public String file() {
        return "partitions";
    }
}
