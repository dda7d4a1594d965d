package io.pigeonhole.core.admin;

import org.jspecify.annotations.Nullable;

/** Which part of a list is wanted. An immutable value. */
public final class PageRequest {
    /** The largest page. */
    public static final int MOST = 1_000;

    private final @Nullable Cursor after;
    private final int limit;

    private PageRequest(@Nullable Cursor after, int limit) {
        checkLimit(limit);
        this.after = after;
        this.limit = limit;
    }

    /**
     * The first page.
     *
     * @param limit how many entries at most, from 1 to {@value #MOST}
     * @return the request
     * @throws IllegalArgumentException if the limit is another
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

    /**
     * Where the page before ended.
     *
     * @return the place; null for the first page
     */
    public @Nullable Cursor after() {
        return after;
    }

    /**
     * How many entries are wanted at most.
     *
     * @return from 1 to {@value #MOST}
     */
    public int limit() {
        return limit;
    }

    static void checkLimit(int limit) {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("limit is " + limit + "; 1 to " + MOST + " are allowed");
        }
    }

    @Override
    public String toString() {
        return "at most " + limit + (after == null ? "" : " behind " + after);
    }
}
