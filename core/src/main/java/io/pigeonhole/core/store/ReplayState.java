package io.pigeonhole.core.store;

/** Where a run over the history stands. */
public enum ReplayState {
    /** It waits for transactions that were open when it was made and may still record what belongs to it. */
    WAITING,
    /** It goes on, or did when its process ended. */
    RUNNING,
    /** Somebody paused it. */
    PAUSED,
    /** A message failed, and it is taken up again at that message; or messages are not in the history any more. */
    FAILED,
    /** Somebody gave it up. */
    CANCELLED,
    /** All is done. */
    FINISHED;

    /**
     * Whether nothing will happen to it any more.
     *
     * @return true for those that nobody can resume
     */
    public boolean isFinal() {
        return this == CANCELLED || this == FINISHED;
    }
}
