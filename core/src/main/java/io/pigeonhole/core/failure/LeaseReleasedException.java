package io.pigeonhole.core.failure;

/** Recorded as the failure of an attempt whose lease somebody took away. Never thrown. */
public class LeaseReleasedException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure with what is known of the lease.
     *
     * @param owner the node that had it
     * @param who the person, or the program, that took it away
     * @param why their reason
     */
    public LeaseReleasedException(String owner, String who, String why) {
        super("the lease of '" + owner + "' was released by " + who + ": " + why, null);
    }
}
