package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.Values;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Keys as bytes, instants without a time zone, in UTC; lists are written out. */
public record PlainValues(PlainSession session) implements Values {
    /** Bounds that every database can hold. */
    private static final Instant FIRST = Instant.parse("1000-01-01T00:00:00Z");

    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

    @Override
    public void bindKey(PreparedStatement statement, int place, @Nullable MessageKey key) throws SQLException {
        statement.setBytes(place, key == null ? null : key.toBytes());
    }

    @Override
    public void bindInstant(PreparedStatement statement, int place, @Nullable Instant instant) throws SQLException {
        PlainColumns.bindInstant(statement, place, instant == null ? null : bounded(instant));
    }

    private static Instant bounded(Instant instant) {
        if (instant.isBefore(FIRST)) {
            return FIRST;
        }
        return instant.isAfter(LAST) ? LAST : instant;
    }

    @Override
    public void bindNumbers(PreparedStatement statement, int place, Collection<? extends Number> numbers) {
        throw new IllegalStateException("a list of numbers needs a parameter with three dots");
    }

    @Override
    public @Nullable MessageKey keyOrNull(ResultSet row, int column) throws SQLException {
        byte[] key = row.getBytes(column);
        return key == null ? null : MessageKey.of(key);
    }

    @Override
    public @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
        return PlainColumns.instantOrNull(row, column);
    }

    @Override
    public Instant now() throws SQLException {
        return session.now();
    }
}
