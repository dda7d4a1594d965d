package io.pigeonhole.jdbc.outbox;

import org.jspecify.annotations.Nullable;

/** Writes rows of messages to send in a transaction, sooner or later. Used by one thread. */
public interface AppendWriter {
    /**
     * Executes a statement, at the latest before the commit.
     *
     * @param step what it is for
     * @param rows how many rows it must change, or -1 where that does not matter
     * @param sql the statement
     * @param parameters of it
     */
    void write(AppendStep step, int rows, String sql, @Nullable Object... parameters);
}
