package io.pigeonhole.core.admin;

/**
 * The result of a change. It is returned after the commit.
 *
 * @param kind what happened
 * @param detail the same in words, with what to do next where it was refused
 */
public record Answer(Kind kind, String detail) {
    /** What happened. Only {@link #DONE} and {@link #DUPLICATE} have changed anything. */
    public enum Kind {
        /** It is done. */
        DONE,
        /** A dead letter was to be requeued, but its message was accepted since: the letter is removed, nothing else. */
        DUPLICATE,
        /** It was so already. */
        UNCHANGED,
        /** There is no such message, or it is in another place than where it was looked for. */
        NOT_FOUND,
        /** Somebody has a lease on the message: wait for its end, or release it first. */
        LEASED,
        /** Nobody has a lease on the message. */
        NOT_LEASED,
        /** The message is older than the ledger: it is unknown whether it took effect before. */
        LATE,
        /** The message's id is of a day that the ledger does not have yet. */
        FROM_THE_FUTURE,
        /** It could cost messages as things are: the detail says what has to be done before. */
        REFUSED,
        /** A transaction elsewhere holds what was to be changed, and did not end in time: ask again. */
        BUSY
    }

    /**
     * Whether something was changed, and is in the audit.
     *
     * @return true for {@link Kind#DONE} and {@link Kind#DUPLICATE}
     */
    public boolean hasChanged() {
        return kind == Kind.DONE || kind == Kind.DUPLICATE;
    }

    /**
     * The answer that a change was made.
     *
     * @param detail what was done
     * @return done
     */
    public static Answer done(String detail) {
        return new Answer(Kind.DONE, detail);
    }
}
