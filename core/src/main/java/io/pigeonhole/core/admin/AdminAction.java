package io.pigeonhole.core.admin;

/** The kinds of changes. The names are stored; they never change. */
public enum AdminAction {
    /** See {@link Admin#retryNow}. */
    RETRY_NOW,
    /** See {@link Admin#releaseLease}. */
    RELEASE_LEASE,
    /** See {@link Admin#discard}. */
    DISCARD,
    /** See {@link Admin#requeue(String, io.pigeonhole.core.message.MessageKey, Requeue, Author)}. */
    REQUEUE,
    /** See {@link Admin#unblock}. */
    UNBLOCK,
    /** See {@link Admin#pause}. */
    PAUSE,
    /** See {@link Admin#resume}. */
    RESUME,
    /** See {@link Admin#deduplicateBy}. */
    DEDUPLICATE,
    /** See {@link Admin#forgetWatermarks}. */
    FORGET_WATERMARKS,
    /** See {@link Admin#confirmClock}. */
    CONFIRM_CLOCK,
    /** A run over the history was made, paused, resumed or cancelled. See {@link io.pigeonhole.core.replay.ReplayControl}. */
    REPLAY,
    /** See {@link io.pigeonhole.core.idempotency.IdempotencyAdmin#forget}. */
    FORGET_REQUEST,
    /** A newer version of Pigeonhole has recorded an action that this one does not know. Never stored: the name in the table says which. */
    UNKNOWN;

    /**
     * The action of a name in a table.
     *
     * @param name the name as it is stored
     * @return the action, {@link #UNKNOWN} where this version does not know the name
     */
    public static AdminAction of(String name) {
        for (AdminAction action : values()) {
            if (action.name().equals(name)) {
                return action;
            }
        }
        return UNKNOWN;
    }
}
