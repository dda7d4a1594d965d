package io.pigeonhole.core.admin;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param entries the entries in order
 * @param next where it ended, to ask for the next page with; null where nothing is behind it
 * @param <T> what an entry is
 */
public record Page<T>(List<T> entries, @Nullable Cursor next) {
    /** Takes a copy of the entries. */
    public Page {
        entries = List.copyOf(entries);
    }

    /**
     * The page that entries make of which one more than the limit was looked for.
     *
     * @param found the entries in order, at most one more than the limit
     * @param limit how many the page has at most
     * @param position where an entry is in the order
     * @param <T> what an entry is
     * @return the page; it has a next one where there was one entry more
     */
    public static <T> Page<T> of(List<T> found, int limit, Function<T, Cursor> position) {
        if (found.size() <= limit) {
            return new Page<>(found, null);
        }
        List<T> entries = found.subList(0, limit);
        return new Page<>(entries, position.apply(entries.get(limit - 1)));
    }
}
