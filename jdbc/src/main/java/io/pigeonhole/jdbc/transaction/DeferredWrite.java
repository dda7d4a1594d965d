package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.message.MessageKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
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
 * @param scope within which writes keep their order: an ordering key, the message itself, or an {@link
 *     io.pigeonhole.jdbc.outbox.AppendStep}, which comes behind all others
 * @param sql the statement
 * @param parameters its parameters
 * @param expectedRows how many rows it must change, or {@link #ANY}
 */
public record DeferredWrite(
        MessageKey key, Object scope, String sql, List<@Nullable Object> parameters, int expectedRows) {
    public static final int ANY = -1;

    private static final ReadStreams READ = new ReadStreams();

    void bind(PreparedStatement statement) throws SQLException, IOException {
        int index = 1;
        for (Object parameter : parameters) {
            statement.setObject(index++, value(parameter));
        }
    }

    /**
     * JDBC knows no Instant, and drivers disagree on it. Streams are read here: drivers read them in the middle of a statement, under a
     * lock that keeps everybody from ending a connection whose stream does not end, and take what is thrown for the end of the
     * connection, or hide it.
     */
    private static @Nullable Object value(@Nullable Object parameter) throws IOException {
        if (parameter instanceof Instant instant) {
            return instant.atOffset(ZoneOffset.UTC);
        }
        if (parameter instanceof InputStream stream) {
            requireUnread(stream);
            try (stream) {
                return stream.readAllBytes();
            }
        }
        if (parameter instanceof Reader reader) {
            requireUnread(reader);
            try (reader) {
                StringWriter text = new StringWriter();
                reader.transferTo(text);
                return text.toString();
            }
        }
        return parameter;
    }

    /** A completion runs again after a deadlock, and would write nothing in the place of what its stream had. */
    private static void requireUnread(Object stream) throws IOException {
        if (!READ.add(stream)) {
            throw new IOException(
                    "the stream was deferred and read before, as by an earlier run of the same completion, and is empty now:"
                            + " open it where it is deferred");
        }
    }

    /** Streams can be read once, and may be large: each is read just before its statement. */
    boolean hasStreams() {
        for (Object parameter : parameters) {
            if (parameter instanceof InputStream || parameter instanceof Reader) {
                return true;
            }
        }
        return false;
    }

    boolean expectsRows() {
        return expectedRows != ANY;
    }
}
