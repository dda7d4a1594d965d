package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.jdbc.outbox.AppendStep;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.Errors;
import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.Refusals;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The deferred writes of one transaction. Equal statements of many messages become one JDBC batch, as far as each scope's
 * writes keep their order. Used by one thread.
 *
 * <p>They go to the database in rounds. In a round statements run one after another, in the order in which each first
 * appeared. A write whose statement would run before an earlier one of the same scope goes to the next round, and the scope
 * with it; other scopes go on filling the earlier one. So writes change places only across scopes, never within one, and
 * there are as many rounds as the busiest scope needs, not as there are repetitions. The rounds of messages to send are behind all
 * others.
 */
public final class DeferredWrites {
    private static final Pattern COUNTS_ROWS =
            Pattern.compile("\\s*(?:INSERT|UPDATE|DELETE|MERGE|REPLACE)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern RETURNS_ROWS = Pattern.compile("\\bRETURNING\\b", Pattern.CASE_INSENSITIVE);

    private final Errors errors;
    private final List<DeferredWrite> writes = new ArrayList<>();
    private boolean halfSent;
    private boolean haveStreams;
    private boolean haveAppends;

    public DeferredWrites(Errors errors) {
        this.errors = errors;
    }

    public void add(DeferredWrite write) {
        haveStreams |= write.hasStreams();
        haveAppends |= write.scope() instanceof AppendStep;
        writes.add(write);
    }

    boolean isEmpty() {
        return writes.isEmpty();
    }

    public void clear() {
        writes.clear();
    }

    /** Whether a statement may have been sent in part, so that nothing else can be sent on its connection. */
    boolean isHalfSent() {
        return halfSent;
    }

    /**
     * Sends all of them. Afterwards nothing is pending, whether it succeeded or not.
     *
     * @throws StoreException whatever is thrown on the way, by the parameters too
     */
    void flush(Connection connection) {
        if (writes.isEmpty()) {
            return;
        }
        MessageKey first = writes.get(0).key();
        boolean alone = writes.stream().allMatch(write -> write.key().equals(first));
        List<List<DeferredWrite>> batches = batches();
        writes.clear();
        for (List<DeferredWrite> batch : batches) {
            send(connection, batch, alone);
        }
    }

    /** In the order in which they run; each has one statement. Messages to send come last. */
    public List<List<DeferredWrite>> batches() {
        if (!haveAppends) {
            return batches(writes);
        }
        List<List<DeferredWrite>> batches = new ArrayList<>(batches(writes.stream()
                .filter(write -> !(write.scope() instanceof AppendStep))
                .toList()));
        for (AppendStep step : AppendStep.values()) {
            batches.addAll(batches(
                    writes.stream().filter(write -> write.scope() == step).toList()));
        }
        return batches;
    }

    private List<List<DeferredWrite>> batches(List<DeferredWrite> some) {
        List<Round> rounds = new ArrayList<>();
        Map<Object, Place> reached = new HashMap<>(some.size() * 2);
        Object scope = this;
        Place place = Place.FIRST;
        for (DeferredWrite write : some) {
            // Mostly it is that of the write before.
            if (write.scope() != scope) {
                reached.put(scope, place);
                scope = write.scope();
                place = reached.getOrDefault(scope, Place.FIRST);
            }
            place = behind(place, write.sql(), rounds);
            rounds.get(place.round()).batches.get(place.position()).add(write);
        }
        return rounds.stream().flatMap(round -> round.batches.stream()).toList();
    }

    private static Place behind(Place last, String sql, List<Round> rounds) {
        int position = round(rounds, last.round()).position(sql);
        return position < last.position()
                ? new Place(last.round() + 1, round(rounds, last.round() + 1).position(sql))
                : new Place(last.round(), position);
    }

    private static Round round(List<Round> rounds, int number) {
        if (number == rounds.size()) {
            rounds.add(new Round());
        }
        return rounds.get(number);
    }

    /** How far a scope has come. */
    private record Place(int round, int position) {
        static final Place FIRST = new Place(0, 0);
    }

    /** Statements in the order in which each first appeared. */
    private static final class Round {
        private final Map<String, Integer> positions = new HashMap<>();
        private final List<List<DeferredWrite>> batches = new ArrayList<>();

        int position(String sql) {
            Integer known = positions.putIfAbsent(sql, batches.size());
            if (known == null) {
                batches.add(new ArrayList<>());
                return batches.size() - 1;
            }
            return known;
        }
    }

    private void send(Connection connection, List<DeferredWrite> batch, boolean alone) {
        String sql = batch.get(0).sql();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            // A driver may not count the rows of each entry of a batch; with one message's writes that must not be in
            // doubt.
            if (batch.size() == 1
                    || mayReturnRows(sql)
                    || (haveStreams && batch.stream().anyMatch(DeferredWrite::hasStreams))
                    || (alone && batch.stream().anyMatch(DeferredWrite::expectsRows))) {
                sendSingly(statement, batch);
            } else {
                sendInOneBatch(statement, batch);
            }
        } catch (StoreException e) {
            throw e;
        } catch (SQLException e) {
            ErrorClass errorClass = errors.classify(e);
            String doing = "the deferred statement «" + sql + "»";
            boolean blameless = errorClass == ErrorClass.UNAVAILABLE;
            if (blameless || (batch.size() > 1 && !alone)) {
                // No driver says reliably which entry of a batch failed; the engine finds out, message by message.
                throw Refusals.of(errorClass, doing + " of " + batch.size() + " messages", e);
            }
            MessageKey key = batch.get(0).key();
            throw new DeferredWriteException(errorClass, key, Refusals.describe(doing, e), ErrorsWithoutValues.of(e));
        } catch (Throwable e) {
            // No driver means to throw this: a parameter does, or memory has run out.
            halfSent = true;
            throw halfSent(batch, alone, e);
        }
    }

    /** What a statement has collected, a driver or a pool that keeps statements would execute with the next batch. */
    private void sendInOneBatch(PreparedStatement statement, List<DeferredWrite> batch) throws SQLException {
        boolean sent = false;
        try {
            for (DeferredWrite write : batch) {
                bind(statement, write);
                statement.addBatch();
            }
            sendTogether(statement, batch);
            sent = true;
        } finally {
            if (!sent) {
                Call.clearBatch(statement);
            }
        }
    }

    private StoreException halfSent(List<DeferredWrite> batch, boolean alone, Throwable e) {
        if (batch.size() == 1 || alone) {
            return refusedParameter(batch.get(0), e);
        }
        return new StoreException(
                ErrorClass.ABORTED,
                "one of " + batch.size() + " deferred " + statement(batch.get(0)) + " cannot be sent: "
                        + FailureText.classOf(e),
                e);
    }

    /** Without the text of what was thrown, which may repeat values; it is the cause. */
    private DeferredWriteException refusedParameter(DeferredWrite write, Throwable e) {
        boolean permanent = errors.classify(e) == ErrorClass.PERMANENT;
        return new DeferredWriteException(
                permanent ? ErrorClass.PERMANENT : ErrorClass.MESSAGE,
                write.key(),
                "a parameter of the deferred " + statement(write) + " cannot be sent: " + FailureText.classOf(e),
                e);
    }

    private static String statement(DeferredWrite write) {
        return ErrorsWithoutValues.bounded("statement «" + write.sql() + "»");
    }

    /** Drivers let a statement of a batch end at its first row, such as a SELECT that is there for what its function does. */
    private static boolean mayReturnRows(String sql) {
        return !COUNTS_ROWS.matcher(sql).lookingAt()
                || RETURNS_ROWS.matcher(sql).find();
    }

    private void sendTogether(PreparedStatement statement, List<DeferredWrite> batch) throws SQLException {
        int[] counts;
        try {
            counts = statement.executeBatch();
        } catch (SQLException e) {
            if (!errors.refusesBatch(e)) {
                throw e;
            }
            statement.clearBatch();
            sendSingly(statement, batch);
            return;
        }
        if (counts.length != batch.size()) {
            throw new StoreException(
                    ErrorClass.ABORTED,
                    "the driver counts " + counts.length + " statements in a batch of " + batch.size(),
                    null);
        }
        for (int i = 0; i < counts.length; i++) {
            check(batch.get(i), counts[i]);
        }
    }

    private void sendSingly(PreparedStatement statement, List<DeferredWrite> batch) throws SQLException {
        // Of a result of many rows all are wanted, whatever the driver's default is.
        statement.setFetchSize(0);
        for (DeferredWrite write : batch) {
            bind(statement, write);
            if (!statement.execute()) {
                check(write, statement.getUpdateCount());
            } else if (write.expectsRows()) {
                throw new DeferredWriteException(
                        ErrorClass.MESSAGE,
                        write.key(),
                        "the deferred statement «" + write.sql()
                                + "» returns rows, so that those that it changed are not counted," + " expected were "
                                + write.expectedRows() + ": leave RETURNING out",
                        null);
            }
        }
    }

    private void bind(PreparedStatement statement, DeferredWrite write) {
        try {
            write.bind(statement);
        } catch (SQLException e) {
            ErrorClass errorClass = errors.classify(e);
            String doing = "the parameters of the deferred statement «" + write.sql() + "»";
            throw errorClass == ErrorClass.UNAVAILABLE
                    ? Refusals.of(errorClass, doing, e)
                    : new DeferredWriteException(
                            errorClass, write.key(), Refusals.describe(doing, e), ErrorsWithoutValues.of(e));
        } catch (Throwable e) {
            throw refusedParameter(write, e);
        }
    }

    private static void check(DeferredWrite write, int count) {
        if (!write.expectsRows() || count == write.expectedRows()) {
            return;
        }
        if (count == Statement.SUCCESS_NO_INFO && write.scope() instanceof AppendStep) {
            // Such as by reWriteBatchedInserts, which makes one insert of many.
            return;
        }
        if (count == Statement.SUCCESS_NO_INFO) {
            throw new StoreException(
                    ErrorClass.MESSAGE,
                    "the driver does not say how many rows each «" + write.sql() + "» of a batch changed",
                    null);
        }
        throw new DeferredWriteException(
                ErrorClass.MESSAGE,
                write.key(),
                "the deferred statement «" + write.sql() + "» changed " + count + " rows, expected were "
                        + write.expectedRows(),
                null);
    }
}
