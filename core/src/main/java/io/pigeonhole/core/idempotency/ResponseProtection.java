package io.pigeonhole.core.idempotency;

/**
 * Changes the bodies of responses before they are stored, and back before they are given again: to encrypt them. Safe for use by many
 * threads.
 */
public interface ResponseProtection {
    /**
     * Called before the body is stored.
     *
     * @param body as the client gets it; not to be changed
     * @return what is stored
     */
    byte[] protect(byte[] body);

    /**
     * Called before the response is given again.
     *
     * @param stored what {@link #protect} returned
     * @return the body
     */
    byte[] unprotect(byte[] stored);

    /**
     * Stores bodies as they are.
     *
     * @return a protection that changes nothing
     */
    static ResponseProtection none() {
        return new ResponseProtection() {
            @Override
            public byte[] protect(byte[] body) {
                return body;
            }

            @Override
            public byte[] unprotect(byte[] stored) {
                return stored;
            }
        };
    }
}
