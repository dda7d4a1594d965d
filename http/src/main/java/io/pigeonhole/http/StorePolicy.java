package io.pigeonhole.http;

/**
 * Which responses are stored and given again. What is not stored is rolled back, with all that was written for it, and the next request
 * with the key is handled anew. Responses that say that the request was not handled (401, 403, 405, 406, 407, 415, 421, 429, 503), and
 * redirects and errors from before the application has begun to handle it, are never stored.
 */
public enum StorePolicy {
    /** Those with a status below 400. */
    SUCCESSES,
    /** These, and errors of the client (4xx) that the application answers once it has begun to handle the request. */
    SUCCESSES_AND_CLIENT_ERRORS,
    /**
     * These, and errors of the server: what was written for those is rolled back, and the response is stored nevertheless. Needs {@code
     * storesFailures(true)} of {@link io.pigeonhole.core.idempotency.IdempotentRequestsBuilder}.
     */
    ALL
}
