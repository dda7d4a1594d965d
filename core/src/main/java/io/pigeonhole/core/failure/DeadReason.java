package io.pigeonhole.core.failure;

/** Why a message was given up on. The names are stored; they never change. */
public enum DeadReason {
    /** It came without an id, and duplicates cannot be recognised without one. */
    NO_ID,
    /** Its id is longer than the limit. */
    ID_TOO_LONG,
    /** Its ordering key is longer than the limit of consumers that keep an order. */
    ORDERING_KEY_TOO_LONG,
    /** Its payload is larger than the limit of its type. */
    TOO_LARGE,
    /** It has no type, or one that no handler is for. */
    UNKNOWN_TYPE,
    /** Its payload cannot be decoded. */
    UNDECODABLE,
    /** Its handler said that no retry will help, or the database did. */
    PERMANENT_FAILURE,
    /** It failed as often as, or for longer than, its retry policy allows. */
    RETRIES_EXHAUSTED,
    /** Its id is older than the ledger: it can no longer be distinguished from a duplicate. */
    LATE,
    /** Its id is of a day that the ledger does not have yet. */
    FROM_THE_FUTURE,
    /** A message with its id, but another payload, was accepted before, or is a dead letter. */
    CONFLICT,
    /** Somebody decided that its key goes on without it. */
    SKIPPED,
    /** The database refused to keep it as work, or to note that it is finished. */
    NOT_STORED,
    /**
     * The database refused it among the dead letters too. What identifies it is kept, with the size and the digest of its
     * payload; its bytes are not, so that it cannot go back to work.
     */
    BYTES_NOT_STORED,
    /** A newer version of Pigeonhole has recorded a reason that this one does not know. Never stored: the name in the table says which. */
    UNKNOWN;

    /**
     * The reason of a name in a table.
     *
     * @param name the name as it is stored
     * @return the reason, {@link #UNKNOWN} where this version does not know the name
     */
    public static DeadReason of(String name) {
        for (DeadReason reason : values()) {
            if (reason.name().equals(name)) {
                return reason;
            }
        }
        return UNKNOWN;
    }
}
