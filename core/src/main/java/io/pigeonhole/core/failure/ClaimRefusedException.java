package io.pigeonhole.core.failure;

/**
 * A message that cannot be claimed in a caller's transaction: where an inbox with handlers makes a dead letter, a claim throws this,
 * with the same reason. Nothing was claimed; the message is the caller's to keep.
 */
public class ClaimRefusedException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    private final DeadReason reason;

    /**
     * An exception with a reason.
     *
     * @param reason what the message would be a dead letter for
     * @param message what is wrong with the message, and what to do
     */
    public ClaimRefusedException(DeadReason reason, String message) {
        super(message, null);
        this.reason = reason;
    }

    /**
     * Why the message cannot be claimed.
     *
     * @return {@link DeadReason#NO_ID}, {@link DeadReason#ID_TOO_LONG}, {@link DeadReason#LATE}, whose message may be a duplicate, or
     *     {@link DeadReason#FROM_THE_FUTURE}, whose message can be claimed once the ledger has its day
     */
    public DeadReason reason() {
        return reason;
    }
}
