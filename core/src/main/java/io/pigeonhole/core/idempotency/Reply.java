package io.pigeonhole.core.idempotency;

/**
 * What the code that handles a request comes back with.
 *
 * @param response what the client is to get
 * @param retention what is to stay of it
 */
public record Reply(StoredResponse response, Retention retention) {
    /** What stays of a handled request. */
    public enum Retention {
        /** What was written, the key and the response are committed together; the response is given again. */
        COMMIT,
        /** What was written is rolled back; the key and the response are committed, and the response is given again. */
        COMMIT_RESPONSE_ONLY,
        /** Everything is rolled back, the key too: the next request with it is handled anew. */
        ROLL_BACK
    }

    /**
     * A reply whose effects are committed and which is given again.
     *
     * @param response what the client is to get
     * @return the reply
     */
    public static Reply commit(StoredResponse response) {
        return new Reply(response, Retention.COMMIT);
    }

    /**
     * A reply which is given again, without effects.
     *
     * @param response what the client is to get
     * @return the reply
     */
    public static Reply commitResponseOnly(StoredResponse response) {
        return new Reply(response, Retention.COMMIT_RESPONSE_ONLY);
    }

    /**
     * A reply of which nothing stays.
     *
     * @param response what the client is to get this time
     * @return the reply
     */
    public static Reply rollBack(StoredResponse response) {
        return new Reply(response, Retention.ROLL_BACK);
    }
}
