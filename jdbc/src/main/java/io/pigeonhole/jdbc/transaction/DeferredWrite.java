package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.message.MessageKey;
import java.io.InputStream;
import java.io.Reader;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A write that waits for the flush.
 *
 * @param key the message that it belongs to
 * @param scope within which writes keep their order: an ordering key, or the message itself
 * @param sql the statement
 * @param parameters its parameters
 * @param expectedRows how many rows it must change, or {@link #ANY}
 */
public record DeferredWrite(
        MessageKey key, Object scope, String sql, List<@Nullable Object> parameters, int expectedRows) {
    public static final int ANY = -1;

    void bind(PreparedStatement statement, WatchedStreams streams) throws SQLException {
        int index = 1;
        for (Object parameter : parameters) {
            // JDBC knows no Instant, and drivers disagree on it.
            statement.setObject(
                    index++,
                    parameter instanceof Instant instant
                            ? instant.atOffset(ZoneOffset.UTC)
                            : streams.watch(this, parameter));
        }
    }

    boolean hasStreams() {
        return parameters.stream()
                .anyMatch(parameter -> parameter instanceof InputStream || parameter instanceof Reader);
    }

    boolean expectsRows() {
        return expectedRows != ANY;
    }
}
