package io.pigeonhole.core.idempotency;

import java.security.SecureRandom;

/**
 * The fencing tokens of requests in steps. The first one of a request begins at a random number, so that no other request ever has a token
 * of it: neither one that comes when its retention is over, nor one that comes when it was forgotten. Each takeover adds 1. What all tokens
 * of a request have in common also stands for the request where other systems are given keys.
 */
final class LeaseToken {
    /** So many bits count takeovers: one each second for 97 days. */
    private static final int COUNTING_BITS = 23;

    private static final SecureRandom RANDOM = new SecureRandom();

    private LeaseToken() {}

    /** That of the first lease of a request; above 0. */
    static long first() {
        long request = RANDOM.nextLong() >>> (COUNTING_BITS + 1);
        return Math.max(1, request) << COUNTING_BITS;
    }

    /** What stands for the request, whoever has the lease. */
    static String request(long token) {
        return Long.toHexString(token >>> COUNTING_BITS);
    }
}
