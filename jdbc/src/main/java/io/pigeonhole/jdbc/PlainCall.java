package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What a column must be equal to is bound twice, because the type of a parameter that stands alone is nowhere to be told. */
final class PlainCall extends AdminCall {
    /** Bounds that every database can hold. */
    private static final Instant LONG_AGO = Instant.parse("1000-01-01T00:00:00Z");

    private static final Instant NEVER = Instant.parse("9999-12-31T23:59:59.999999Z");

    private static final AdminRows ROWS = new AdminRows() {
        @Override
        MessageKey key(ResultSet row, int column) throws SQLException {
            return PlainColumns.key(row, column);
        }

        @Override
        @Nullable
        MessageKey keyOrNull(ResultSet row, int column) throws SQLException {
            byte[] key = row.getBytes(column);
            return key == null ? null : MessageKey.of(key);
        }

        @Override
        @Nullable
        Instant instantOrNull(ResultSet row, int column) throws SQLException {
            return PlainColumns.instantOrNull(row, column);
        }
    };

    private final PlainSession session;

    PlainCall(PreparedStatement statement, PlainSession session) {
        super(statement, ROWS);
        this.session = session;
    }

    @Override
    AdminCall key(@Nullable MessageKey key) throws SQLException {
        statement.setBytes(next(), key == null ? null : key.toBytes());
        return this;
    }

    @Override
    AdminCall orderingKey(OrderingKey key) throws SQLException {
        statement.setBytes(next(), PlainColumns.hash(key));
        statement.setBytes(next(), key.bytes());
        return this;
    }

    @Override
    AdminCall wanted(@Nullable String text) throws SQLException {
        statement.setString(next(), CleanText.ofNullable(text));
        statement.setString(next(), CleanText.ofNullable(text));
        return this;
    }

    @Override
    AdminCall wanted(byte @Nullable [] bytes) throws SQLException {
        statement.setBytes(next(), bytes);
        statement.setBytes(next(), bytes);
        return this;
    }

    @Override
    AdminCall instant(Instant instant) throws SQLException {
        Instant bounded = instant.isBefore(LONG_AGO) ? LONG_AGO : instant.isAfter(NEVER) ? NEVER : instant;
        PlainColumns.bindInstant(statement, next(), bounded);
        return this;
    }

    @Override
    AdminCall time(@Nullable Instant instant) throws SQLException {
        PlainColumns.bindInstant(statement, next(), instant);
        return this;
    }

    @Override
    AdminCall day(LocalDate day) throws SQLException {
        statement.setObject(next(), day);
        return this;
    }

    @Override
    AdminCall between(@Nullable Instant since, @Nullable Instant until) throws SQLException {
        return instant(since == null ? LONG_AGO : since).instant(until == null ? NEVER : until);
    }

    @Override
    AdminCall before(@Nullable Cursor place) throws SQLException {
        Instant at = place == null ? NEVER : place.at();
        return instant(at).instant(at).id(place == null ? Long.MAX_VALUE : place.id());
    }

    @Override
    AdminCall behind(@Nullable Cursor place) throws SQLException {
        Instant at = place == null ? LONG_AGO : place.at();
        return instant(at).instant(at).id(place == null ? Long.MIN_VALUE : place.id());
    }

    @Override
    AdminCall now() throws SQLException {
        return instant(session.now());
    }

    @Override
    AdminCall ago(Duration duration) throws SQLException {
        return instant(session.now().minus(duration));
    }

    @Override
    AdminCall ids(Collection<Long> ids) throws SQLException {
        for (Long id : ids) {
            id(id);
        }
        return this;
    }
}
