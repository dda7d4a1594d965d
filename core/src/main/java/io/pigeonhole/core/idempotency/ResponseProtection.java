package io.pigeonhole.core.idempotency;

/**
 * Changes bodies before they are stored, and back when they are read: to encrypt them. They are those of responses, and of requests in
 * steps also those of the requests and the results of steps, while they are in work. Safe for use by many threads.
 */
public interface ResponseProtection {
    /**
     * Called before the body is stored.
     *
     * @param body as the client sends or gets it, or as a step returned it; not empty, not to be changed
     * @return what is stored
     */
    byte[] protect(byte[] body);

    /**
     * Called before what is stored is used again.
     *
     * @param stored what {@link #protect} returned, at this node or another one
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
