package io.pigeonhole.core.failure;

/** What an error of the database, or of a handler, means for the message that met it. */
public enum ErrorClass {
    /** Two transactions were in each other's way: roll back and try again at once, no attempt is counted. */
    RETRY_NOW,
    /** The message's own failure: it is parked and its attempt counted. */
    MESSAGE,
    /** The message's own failure, and no retry will mend it: it goes to the dead letters. */
    PERMANENT,
    /** The database is away, full or read-only: an infrastructure error that counts as no attempt; wait for it. */
    UNAVAILABLE,
    /**
     * The transaction was already lost: a statement failed and its error was hidden, or the database ended the transaction
     * because it was idle for too long. Whoever meets the error need not be the one at fault.
     */
    ABORTED,
    /** Nothing is known of the error. In a handler it is the message's own failure; on COMMIT the outcome is unknown. */
    UNKNOWN;

    /**
     * Whether neither the database is away nor others are in the way: the same would be refused again, such as where a right is
     * missing or a page is damaged.
     *
     * @return true for {@link #MESSAGE}, {@link #PERMANENT} and {@link #UNKNOWN}
     */
    public boolean isRefusal() {
        return switch (this) {
            case MESSAGE, PERMANENT, UNKNOWN -> true;
            case RETRY_NOW, UNAVAILABLE, ABORTED -> false;
        };
    }
}
