package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.message.MessageKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** How one kind of database holds keys and instants, and what time it is there. Used by one thread. */
public interface Values {
    /** Before everything. */
    Instant EARLIEST = Instant.MIN;

    /** After everything. */
    Instant LATEST = Instant.MAX;

    void bindKey(PreparedStatement statement, int place, @Nullable MessageKey key) throws SQLException;

    /** One that no column can hold is bound as the nearest that one can. */
    void bindInstant(PreparedStatement statement, int place, @Nullable Instant instant) throws SQLException;

    /** A list in one parameter, where the database has arrays. */
    void bindNumbers(PreparedStatement statement, int place, Collection<? extends Number> numbers) throws SQLException;

    /** Null where the column is. */
    @Nullable
    MessageKey keyOrNull(ResultSet row, int column) throws SQLException;

    /** Null where the column is. */
    @Nullable
    Instant instantOrNull(ResultSet row, int column) throws SQLException;

    /** By the database's clock, in microseconds. */
    Instant now() throws SQLException;
}
