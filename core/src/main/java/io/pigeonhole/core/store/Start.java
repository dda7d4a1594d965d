package io.pigeonhole.core.store;

/**
 * Who begins with what, and where.
 *
 * @param what what is begun, such as a partition, at most 300 characters
 * @param position where, such as an offset, at most 300 characters
 * @param by who begins, so that a start is counted once also where it is noted again because the answer was lost: a name that
 *     nobody else has, from 1 to 100 characters
 */
public record Start(String what, String position, String by) {
    /** Checks the name. */
    public Start {
        if (by.isEmpty() || by.length() > 100) {
            throw new IllegalArgumentException("'" + by + "' is not a name of 1 to 100 characters");
        }
    }
}
