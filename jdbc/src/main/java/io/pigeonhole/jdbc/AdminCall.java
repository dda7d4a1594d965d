package io.pigeonhole.jdbc;

import io.pigeonhole.core.admin.Cursor;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One {@link AdminStatement} whose parameters are bound one behind the other, in the order of their meaning. How often and as
 * what a value is bound is the database's matter: PostgreSQL has a clock of its own where others are told the time.
 */
abstract class AdminCall implements AutoCloseable {
    /** The statement. */
    final PreparedStatement statement;

    /** Reads the rows of the answer. */
    final AdminRows rows;

    /** The index of the next parameter. */
    private int next = 1;

    AdminCall(PreparedStatement statement, AdminRows rows) {
        this.statement = statement;
        this.rows = rows;
    }

    /** Takes the next index. */
    final int next() {
        return next++;
    }

    final AdminCall consumer(RegisteredConsumer consumer) throws SQLException {
        statement.setShort(next(), consumer.id());
        return this;
    }

    final AdminCall id(long id) throws SQLException {
        statement.setLong(next(), id);
        return this;
    }

    final AdminCall count(int count) throws SQLException {
        statement.setInt(next(), count);
        return this;
    }

    final AdminCall flag(boolean flag) throws SQLException {
        statement.setBoolean(next(), flag);
        return this;
    }

    final AdminCall text(String text) throws SQLException {
        statement.setString(next(), CleanText.of(text));
        return this;
    }

    /** What a column is to hold, or null. */
    final AdminCall value(@Nullable String text) throws SQLException {
        statement.setString(next(), CleanText.ofNullable(text));
        return this;
    }

    /** The same for bytes. */
    final AdminCall value(byte @Nullable [] bytes) throws SQLException {
        statement.setBytes(next(), bytes);
        return this;
    }

    final AdminCall attempt(FailedAttempt attempt) throws SQLException {
        next = MessageColumns.bindAttempt(statement, next, attempt);
        return this;
    }

    /** A key, or null where it is not about one message. */
    abstract AdminCall key(@Nullable MessageKey key) throws SQLException;

    /** An ordering key that is looked for by an index. */
    abstract AdminCall orderingKey(OrderingKey key) throws SQLException;

    /** What a column must be equal to, or null where it does not matter. */
    abstract AdminCall wanted(@Nullable String text) throws SQLException;

    /** The same for bytes. */
    abstract AdminCall wanted(byte @Nullable [] bytes) throws SQLException;

    abstract AdminCall instant(Instant instant) throws SQLException;

    /** What a column is to hold, or null. */
    abstract AdminCall time(@Nullable Instant instant) throws SQLException;

    abstract AdminCall day(LocalDate day) throws SQLException;

    /** Two bounds, of which null is none. */
    abstract AdminCall between(@Nullable Instant since, @Nullable Instant until) throws SQLException;

    /** A place in an order by time and id, or null for the one behind all. */
    abstract AdminCall before(@Nullable Cursor place) throws SQLException;

    /** A place in an order by time and id, or null for the one before all. */
    abstract AdminCall behind(@Nullable Cursor place) throws SQLException;

    /** The time by the database's clock, where the statement does not ask for it. */
    abstract AdminCall now() throws SQLException;

    /** When something began that took so long until now, where the statement does not ask for it. */
    abstract AdminCall ago(Duration duration) throws SQLException;

    /** Numbers of rows; as many as the call was made for. */
    abstract AdminCall ids(Collection<Long> ids) throws SQLException;

    final <T> List<T> all(AdminRows.Reader<T> reader) throws SQLException {
        try (ResultSet answer = ask()) {
            List<T> all = new ArrayList<>();
            while (answer.next()) {
                all.add(reader.read(answer));
            }
            return all;
        }
    }

    /** Null where the answer has no row. */
    final <T> @Nullable T first(AdminRows.Reader<T> reader) throws SQLException {
        List<T> all = all(reader);
        return all.isEmpty() ? null : all.get(0);
    }

    /** Executes it, where it answers with rows. */
    ResultSet ask() throws SQLException {
        return statement.executeQuery();
    }

    /** Answers how many rows were changed. */
    final int change() throws SQLException {
        return statement.executeUpdate();
    }

    /** Executes it once for each id, its only parameter: see {@link PlainSession#each}. */
    final void changeEach(Collection<Long> ids) throws SQLException {
        for (Long id : ids) {
            statement.setLong(1, id);
            statement.addBatch();
        }
        statement.executeBatch();
    }

    @Override
    public final void close() throws SQLException {
        statement.close();
    }
}
