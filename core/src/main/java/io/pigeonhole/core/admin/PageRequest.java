package io.pigeonhole.core.admin;

import org.jspecify.annotations.Nullable;

/**
 * Which part of a list is wanted.
 *
 * @param after where the page before ended; null for the first page
 * @param limit how many entries at most, from 1 to {@value #MOST}
 */
public record PageRequest(@Nullable Cursor after, int limit) {
    /** The largest page. */
    public static final int MOST = 1_000;

    /** Checks the limit. */
    public PageRequest {
        checkLimit(limit);
    }

    /**
     * The first page.
     *
     * @param limit how many entries at most, from 1 to {@value #MOST}
     * @return the request
     */
    public static PageRequest first(int limit) {
        return new PageRequest(null, limit);
    }

    /**
     * The page behind another, of the same size.
     *
     * @param cursor where the page before ended
     * @return the request
     */
    public PageRequest next(Cursor cursor) {
        return new PageRequest(cursor, limit);
    }

    static void checkLimit(int limit) {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("limit is " + limit + "; 1 to " + MOST + " are allowed");
        }
    }
}
