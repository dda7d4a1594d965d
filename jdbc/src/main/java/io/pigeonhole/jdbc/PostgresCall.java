package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Instants travel as text, which every driver can carry; {@code infinity} stands for none. */
final class PostgresCall extends AdminCall {
    private static final String LONG_AGO = "-infinity";
    private static final String NEVER = "infinity";

    private static final AdminRows ROWS = new AdminRows() {
        @Override
        MessageKey key(ResultSet row, int column) throws SQLException {
            return MessageKey.of(row.getObject(column, UUID.class));
        }

        @Override
        @Nullable
        MessageKey keyOrNull(ResultSet row, int column) throws SQLException {
            UUID key = row.getObject(column, UUID.class);
            return key == null ? null : MessageKey.of(key);
        }

        @Override
        @Nullable
        Instant instantOrNull(ResultSet row, int column) throws SQLException {
            OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
            return time == null ? null : time.toInstant();
        }
    };

    private final boolean isSearch;

    PostgresCall(PreparedStatement statement) {
        this(statement, false);
    }

    private PostgresCall(PreparedStatement statement, boolean isSearch) {
        super(statement, ROWS);
        this.isSearch = isSearch;
    }

    /** In a transaction in which handlers run. */
    static PostgresCall besideHandlers(Connection connection, ReplayStatement statement) throws SQLException {
        String text = PostgresReplayStatements.text(statement);
        boolean isSearch = statement == ReplayStatement.SIZES || statement == ReplayStatement.READ;
        return new PostgresCall(
                connection.prepareStatement(isSearch ? PostgresStatements.withoutHandlersLimit(text) : text), isSearch);
    }

    @Override
    ResultSet ask() throws SQLException {
        return isSearch ? DueWork.search(statement) : super.ask();
    }

    @Override
    AdminCall key(@Nullable MessageKey key) throws SQLException {
        statement.setObject(next(), key == null ? null : key.toUuid());
        return this;
    }

    @Override
    AdminCall orderingKey(OrderingKey key) throws SQLException {
        statement.setBytes(next(), key.bytes());
        return this;
    }

    @Override
    AdminCall wanted(@Nullable String text) throws SQLException {
        statement.setString(next(), CleanText.ofNullable(text));
        return this;
    }

    @Override
    AdminCall wanted(byte @Nullable [] bytes) throws SQLException {
        statement.setBytes(next(), bytes);
        return this;
    }

    @Override
    AdminCall instant(Instant instant) throws SQLException {
        statement.setString(next(), instant.toString());
        return this;
    }

    @Override
    AdminCall time(@Nullable Instant instant) throws SQLException {
        statement.setString(next(), instant == null ? null : instant.toString());
        return this;
    }

    @Override
    AdminCall day(LocalDate day) throws SQLException {
        statement.setString(next(), day.toString());
        return this;
    }

    @Override
    AdminCall between(@Nullable Instant since, @Nullable Instant until) throws SQLException {
        statement.setString(next(), since == null ? LONG_AGO : since.toString());
        statement.setString(next(), until == null ? NEVER : until.toString());
        return this;
    }

    @Override
    AdminCall before(@Nullable Cursor place) throws SQLException {
        statement.setString(next(), place == null ? NEVER : place.at().toString());
        return id(place == null ? Long.MAX_VALUE : place.id());
    }

    @Override
    AdminCall behind(@Nullable Cursor place) throws SQLException {
        statement.setString(next(), place == null ? LONG_AGO : place.at().toString());
        return id(place == null ? Long.MIN_VALUE : place.id());
    }

    @Override
    AdminCall now() {
        return this;
    }

    @Override
    AdminCall ago(Duration duration) {
        return this;
    }

    @Override
    AdminCall ids(Collection<Long> ids) throws SQLException {
        statement.setString(next(), PostgresAdminDatabase.array(ids));
        return this;
    }
}
