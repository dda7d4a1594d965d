package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.failure.PigeonholeException;

/** The lease of a request in steps has run out, so that somebody else may go on with it. */
public class LeaseLostException extends PigeonholeException {
    private static final long serialVersionUID = 1L;

    /**
     * The lease of a request is lost.
     *
     * @param step what could not be done any more
     */
    public LeaseLostException(String step) {
        super(
                "the lease of this request has run out, and somebody else may go on with it: '" + step
                        + "' was not committed. A lease has to be longer than the longest step; see leaseDuration",
                null);
    }
}
