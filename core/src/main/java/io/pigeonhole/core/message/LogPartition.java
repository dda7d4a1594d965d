package io.pigeonhole.core.message;

/**
 * A part of a log, as a consumer knows it.
 *
 * @param source the logical name of where its messages come from, not blank
 * @param partition which part, not negative
 */
public record LogPartition(String source, int partition) {
    /** Checks the values. */
    public LogPartition {
        if (source.isBlank() || partition < 0) {
            throw new IllegalArgumentException("there is no partition " + partition + " of '" + source + "'");
        }
        Utf8.require("the source of a log", source);
    }

    @Override
    public String toString() {
        return "partition " + partition + " of " + source;
    }
}
