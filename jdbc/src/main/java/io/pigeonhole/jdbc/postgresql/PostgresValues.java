package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.jdbc.sql.Values;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keys as UUIDs, instants with a time zone, lists as arrays in text, which every driver can carry. */
public record PostgresValues(Connection connection) implements Values {
    private static final String NOW = "SELECT clock_timestamp()";

    /** What a column can hold. */
    private static final OffsetDateTime FIRST = OffsetDateTime.parse("-4712-01-01T00:00:00Z");

    private static final OffsetDateTime LAST = OffsetDateTime.parse("+294275-12-31T00:00:00Z");

    @Override
    public void bindKey(PreparedStatement statement, int place, @Nullable MessageKey key) throws SQLException {
        statement.setObject(place, key == null ? null : key.toUuid());
    }

    @Override
    public void bindInstant(PreparedStatement statement, int place, @Nullable Instant instant) throws SQLException {
        statement.setObject(place, instant == null ? null : bounded(instant));
    }

    private static OffsetDateTime bounded(Instant instant) {
        if (instant.isBefore(FIRST.toInstant())) {
            return FIRST;
        }
        return instant.isAfter(LAST.toInstant()) ? LAST : instant.atOffset(ZoneOffset.UTC);
    }

    @Override
    public void bindNumbers(PreparedStatement statement, int place, Collection<? extends Number> numbers)
            throws SQLException {
        statement.setString(place, array(numbers));
    }

    /** A list in one parameter. */
    static String array(Collection<? extends Number> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }

    @Override
    public @Nullable MessageKey keyOrNull(ResultSet row, int column) throws SQLException {
        UUID key = row.getObject(column, UUID.class);
        return key == null ? null : MessageKey.of(key);
    }

    @Override
    public @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    @Override
    public Instant now() throws SQLException {
        return now(connection);
    }

    static Instant now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(NOW)) {
            row.next();
            return Objects.requireNonNull(row.getObject(1, OffsetDateTime.class))
                    .toInstant();
        }
    }
}
