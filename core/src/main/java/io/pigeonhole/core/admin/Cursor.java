package io.pigeonhole.core.admin;

import io.pigeonhole.core.time.StoredTime;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/**
 * Where a page ended, so that the next one begins behind it whatever was added or removed meanwhile. As text it fits into an
 * address.
 *
 * @param at the instant that the list is ordered by
 * @param id the number that decides between equal instants
 */
public record Cursor(Instant at, long id) {
    private static final char SEPARATOR = '_';

    /** Checks that a database keeps the instant. */
    public Cursor {
        if (!StoredTime.keeps(at)) {
            throw new IllegalArgumentException(
                    at + " is no instant of a list: they are from " + StoredTime.FIRST + " to " + StoredTime.LAST);
        }
    }

    /**
     * The cursor that {@link #toString} wrote.
     *
     * @param text the text
     * @return the cursor
     * @throws IllegalArgumentException if it is something else, or of a year before 1000 or after 9999
     */
    public static Cursor parse(String text) {
        int separator = text.indexOf(SEPARATOR);
        try {
            return new Cursor(
                    Instant.parse(text.substring(0, Math.max(0, separator))),
                    Long.parseLong(text.substring(separator + 1)));
        } catch (DateTimeParseException | IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is no cursor: take the one that came with a page", e);
        }
    }

    /**
     * The cursor as text.
     *
     * @return what {@link #parse} reads
     */
    @Override
    public String toString() {
        return at.toString() + SEPARATOR + id;
    }
}
