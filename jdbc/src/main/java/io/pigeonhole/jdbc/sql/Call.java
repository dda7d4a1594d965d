package io.pigeonhole.jdbc.sql;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A prepared statement whose parameters are bound by name. Used by one thread. */
public final class Call implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Call.class);

    private final PreparedStatement statement;
    private final Sql.Text text;
    private final Values values;

    /** How many answers come before the statement's own. */
    private final int answersBefore;

    /** Which element of the lists is bound where only one is. */
    private int row;

    private boolean collecting;

    private Call(PreparedStatement statement, Sql.Text text, Values values, int answersBefore) {
        this.statement = statement;
        this.answersBefore = answersBefore;
        this.text = text;
        this.values = values;
    }

    /** Prepares a statement. */
    public static Call of(Connection connection, Sql.Text text, Values values) throws SQLException {
        return behind(0, connection, text, values);
    }

    /** Prepares the insert of a row whose number the database makes. */
    public static Call makingANumber(Connection connection, Sql.Text text, Values values) throws SQLException {
        return new Call(connection.prepareStatement(text.sql(), Statement.RETURN_GENERATED_KEYS), text, values, 0);
    }

    /** Prepares several statements, of which so many answer before the one that matters. */
    public static Call behind(int answers, Connection connection, Sql.Text text, Values values) throws SQLException {
        return new Call(connection.prepareStatement(text.sql()), text, values, answers);
    }

    /** Takes a prepared statement over. */
    public static Call on(PreparedStatement statement, Sql.Text text, Values values) {
        return new Call(statement, text, values, 0);
    }

    private List<Integer> places(String name) {
        List<Integer> places = text.places().get(name);
        if (places == null) {
            throw new IllegalArgumentException("there is no parameter " + name + " in " + text.sql());
        }
        return places;
    }

    /** Binds one place of a parameter. */
    @FunctionalInterface
    private interface Binding {
        void at(int place) throws SQLException;
    }

    private Call bind(String name, Binding binding) throws SQLException {
        List<Integer> places = places(name);
        for (int place : text.lists().contains(name) ? places.subList(row, row + 1) : places) {
            binding.at(place);
        }
        return this;
    }

    /** A single value that is bound to a list from now on is that of this row, counted from 0. The list occurs once in a row. */
    public Call row(int of) {
        row = of;
        return this;
    }

    /** What the database said besides, the last time that it was executed. */
    public @Nullable SQLWarning warnings() throws SQLException {
        return statement.getWarnings();
    }

    /** The parameter {@code consumer}. */
    public Call consumer(RegisteredConsumer consumer) throws SQLException {
        return bind("consumer", place -> statement.setShort(place, consumer.id()));
    }

    /** The parameter {@code key}, or null where it is not about one message. */
    public Call key(@Nullable MessageKey key) throws SQLException {
        return key("key", key);
    }

    public Call key(String name, @Nullable MessageKey key) throws SQLException {
        return bind(name, place -> values.bindKey(statement, place, key));
    }

    /** The parameter {@code ordering_key}, and {@code ordering_hash} where the statement looks for that first. */
    public Call orderingKey(OrderingKey key) throws SQLException {
        if (text.places().containsKey("ordering_hash")) {
            bytes("ordering_hash", MessageColumns.hash(key));
        }
        return bytes("ordering_key", key.bytes());
    }

    public Call number(String name, long value) throws SQLException {
        return bind(name, place -> statement.setLong(place, value));
    }

    public Call number(String name, int value) throws SQLException {
        return bind(name, place -> statement.setInt(place, value));
    }

    /** Without what a database cannot store. */
    public Call text(String name, @Nullable String value) throws SQLException {
        String clean = CleanText.ofNullable(value);
        return bind(name, place -> statement.setString(place, clean));
    }

    public Call bytes(String name, byte @Nullable [] value) throws SQLException {
        return bind(name, place -> statement.setBytes(place, value));
    }

    public Call flag(String name, boolean value) throws SQLException {
        return bind(name, place -> statement.setBoolean(place, value));
    }

    /** A day in UTC. */
    public Call day(LocalDate day) throws SQLException {
        return bind("day", place -> statement.setObject(place, day));
    }

    /** The parameters {@code since} and {@code until}, of which null is none. */
    public Call between(@Nullable Instant since, @Nullable Instant until) throws SQLException {
        return instant("since", since == null ? Values.EARLIEST : since)
                .instant("until", until == null ? Values.LATEST : until);
    }

    /** One that no column can hold is bound as the nearest that one can, {@link Values#LATEST} for instance. */
    public Call instant(String name, @Nullable Instant value) throws SQLException {
        return bind(name, place -> values.bindInstant(statement, place, value));
    }

    /** The parameter {@code now}, by the database's clock. */
    public Call now() throws SQLException {
        return instant("now", values.now());
    }

    /** A list: as many values as the statement was made for, or an array. */
    public Call numbers(String name, Collection<? extends Number> numbers) throws SQLException {
        if (!text.lists().contains(name)) {
            return bind(name, place -> values.bindNumbers(statement, place, numbers));
        }
        return each(name, numbers, (place, number) -> statement.setLong(place, number.longValue()));
    }

    /** Binds one element of a list. */
    @FunctionalInterface
    private interface ElementBinding<E> {
        void at(int place, E element) throws SQLException;
    }

    /** A list that occurs again begins anew there. */
    private <E> Call each(String name, Collection<? extends E> elements, ElementBinding<E> binding)
            throws SQLException {
        Iterator<? extends E> next = elements.iterator();
        for (int place : places(name)) {
            if (!next.hasNext()) {
                next = elements.iterator();
            }
            binding.at(place, next.next());
        }
        return this;
    }

    /** The list {@code keys}. */
    public Call keys(Collection<MessageKey> keys) throws SQLException {
        return each("keys", keys, (place, key) -> values.bindKey(statement, place, key));
    }

    /** A list of bytes, of which some may be null. */
    public Call bytes(String name, Collection<byte @Nullable []> all) throws SQLException {
        return each(name, all, statement::setBytes);
    }

    /** A list of texts. */
    public Call texts(String name, Collection<String> texts) throws SQLException {
        return each(name, texts, (place, value) -> statement.setString(place, CleanText.of(value)));
    }

    /** The columns of a message behind its key; {@code headers} and {@code payload} are null where it has none to keep. */
    public Call message(Message message, boolean withPayload) throws SQLException {
        MessageId id = message.id();
        return text("source", message.source())
                .bytes("message_id", id == null ? null : id.toBytes())
                .text("type", message.type())
                .bytes("ordering_key", message.orderingKey())
                .bytes("headers", withPayload ? HeaderFormat.write(message.headers()) : null)
                .text("content_type", message.contentType())
                .bytes("payload", withPayload && !message.isTombstone() ? message.payload() : null)
                .text("origin", message.origin());
    }

    /** The same as {@link #attempt}, NULL where there was none. */
    public Call attemptOrNone(@Nullable FailedAttempt attempt) throws SQLException {
        if (attempt != null) {
            return attempt(attempt);
        }
        return bind("number", place -> statement.setNull(place, Types.INTEGER))
                .text("node", null)
                .bind("duration", place -> statement.setNull(place, Types.BIGINT))
                .text("error_class", null)
                .text("message", null)
                .text("stack", null);
    }

    /** The parameters {@code number}, {@code node}, {@code duration}, {@code error_class}, {@code message} and {@code stack}. */
    public Call attempt(FailedAttempt attempt) throws SQLException {
        return number("number", attempt.number())
                .text("node", attempt.node())
                .number("duration", attempt.duration().toMillis())
                .text("error_class", attempt.errorClass())
                .text("message", attempt.message())
                .text("stack", attempt.stack());
    }

    public <T> List<T> all(RowReader<T> reader) throws SQLException {
        return read(row -> {
            List<T> all = new ArrayList<>();
            while (row.next()) {
                all.add(reader.read(row));
            }
            return all;
        });
    }

    /** What is made of all rows; the reader goes from one to the next itself. */
    public <T> T read(RowReader<T> reader) throws SQLException {
        try (ResultSet rows = ask()) {
            return reader.read(rows);
        }
    }

    /** Executes statements whose answers are not read. */
    public void execute() throws SQLException {
        statement.execute();
    }

    public boolean hasRow() throws SQLException {
        return read(ResultSet::next);
    }

    private ResultSet ask() throws SQLException {
        // Not executeQuery: a driver may refuse that for a text that does not begin with SELECT.
        statement.execute();
        for (int i = 0; i < answersBefore; i++) {
            statement.getMoreResults();
        }
        ResultSet rows = statement.getResultSet();
        if (rows == null) {
            throw new SQLException("the database answered no rows to a query");
        }
        return rows;
    }

    /** Null where the answer has no row. */
    public <T> @Nullable T first(RowReader<T> reader) throws SQLException {
        List<T> all = all(reader);
        return all.isEmpty() ? null : all.get(0);
    }

    /** Answers how many rows were changed. */
    public int change() throws SQLException {
        return statement.executeUpdate();
    }

    /** Deletes or copies the one row that it is about, which this transaction has locked or inserted. */
    public void changeLocked() throws SQLException {
        requireAll(change(), 1);
    }

    /** Executes what was kept, each time for one row that this transaction has locked. */
    public void changeLockedBatch(int rows) throws SQLException {
        int[] counts = executeBatch();
        if (IntStream.of(counts).anyMatch(count -> count == Statement.SUCCESS_NO_INFO)) {
            throw driverDoesNotCount();
        }
        requireAll(IntStream.of(counts).sum(), rows);
    }

    private static void requireAll(long changed, int rows) {
        if (changed != rows) {
            throw tooFewChanged(changed, rows);
        }
    }

    /** MariaDB may change nothing, and report no error, where a statement is cancelled. */
    public static StoreException tooFewChanged(long changed, int rows) {
        return new StoreException(
                ErrorClass.RETRY_NOW,
                "a statement changed " + changed + " of " + rows
                        + " rows that are there, and the database reports no error: MariaDB answers so where the statement was cancelled (KILL"
                        + " QUERY, max_statement_time). Nothing of this transaction may stay",
                null);
    }

    /** As MariaDB's driver does not count with {@code useBulkStmts}: then nobody knows what became of a batch. */
    public static ConfigurationException driverDoesNotCount() {
        return new ConfigurationException(
                "the driver does not say how many rows each statement of a batch has changed, as MariaDB's does not with"
                        + " useBulkStmts=true: where one is cancelled, part of the batch may be left undone without an error, and messages"
                        + " would take effect twice. Take useBulkStmts=true out of the URL");
    }

    /** Inserts a row, and answers the number that the database made for it. */
    public long insert() throws SQLException {
        statement.executeUpdate();
        try (ResultSet number = statement.getGeneratedKeys()) {
            number.next();
            return number.getLong(1);
        }
    }

    /** Keeps what is bound, to be executed with what is bound next. */
    public void addBatch() throws SQLException {
        collecting = true;
        statement.addBatch();
    }

    private int[] executeBatch() throws SQLException {
        int[] counts = statement.executeBatch();
        collecting = false;
        return counts;
    }

    /**
     * Clears what a statement has collected before it is closed, where it was not executed: a driver or a pool that keeps statements would
     * execute it with the next batch.
     */
    public static void clearBatch(Statement statement) {
        try {
            statement.clearBatch();
        } catch (SQLException e) {
            LOG.debug("the batch of a statement could not be cleared", e);
        }
    }

    /** Executes what was kept; answers how many rows were changed. */
    public long changeBatch() throws SQLException {
        return changed(executeBatch());
    }

    /** Executes it once for each id, its only parameter {@code id}; answers how many rows that changed. */
    public long changeOfEach(Collection<Long> ids) throws SQLException {
        for (Long id : ids) {
            number("id", id).addBatch();
        }
        return ids.isEmpty() ? 0 : changeBatch();
    }

    /** Executes what was kept; answers how many rows each has changed. */
    public int[] changeEach() throws SQLException {
        return executeBatch();
    }

    @Override
    public void close() throws SQLException {
        if (collecting) {
            clearBatch(statement);
        }
        statement.close();
    }

    /** Each as one where the driver does not count. */
    private static long changed(int[] counts) {
        return IntStream.of(counts)
                .map(count -> count == Statement.SUCCESS_NO_INFO ? 1 : count)
                .sum();
    }
}
