package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction of the engine on one connection. Used by one thread. What it needs at its beginning travels with its first
 * statement, and the proof that it is still alive travels with the commit, so that an undisturbed batch costs two trips
 * besides its handlers.
 */
final class JdbcTransaction implements InboxTransaction<JdbcContext> {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcTransaction.class);

    /** Results before the claim's own: the patience; with the preamble also its two statements. */
    private static final int RESULTS_BEFORE_CLAIM = 1;

    private static final int RESULTS_OF_PREAMBLE = 2;

    private final Connection connection;
    private final boolean autoCommit;
    private final String idleLimit;
    private final DueHints hints;
    private final DeferredWrites deferred = new DeferredWrites();
    private final Set<String> harmless = new HashSet<>();
    private Runnable whenCommitted = () -> {};
    private @Nullable Connection guarded;
    private boolean begun;
    private boolean savepointSet;
    private boolean finished;
    private boolean broken;
    private boolean closed;

    /** Takes the connection over; {@link #close} gives it back as it was. */
    JdbcTransaction(Connection connection, Duration idleLimit, DueHints hints) throws SQLException {
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        this.idleLimit = milliseconds(idleLimit);
        this.hints = hints;
        connection.setAutoCommit(false);
    }

    @Override
    public Claim claim(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration patience) {
        requireOpen();
        boolean first = !begun;
        begun = true;
        String sql = first ? PostgresStatements.PREAMBLE_AND_CLAIM : PostgresStatements.CLAIM;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int next = 1;
            if (first) {
                statement.setString(next++, idleLimit);
            }
            statement.setString(next++, milliseconds(patience));
            statement.setShort(next++, consumer.id());
            statement.setString(next++, KeyArray.write(keys));
            statement.setString(next++, KeyArray.writeHashes(hashes));
            statement.setInt(next++, keys.size());
            statement.setShort(next, consumer.id());
            int skipped = first ? RESULTS_OF_PREAMBLE + RESULTS_BEFORE_CLAIM : RESULTS_BEFORE_CLAIM;
            return Claims.execute(statement, skipped, consumer, keys);
        } catch (SQLException e) {
            throw refusedWait(e, patience, keys.size() + " keys");
        }
    }

    @Override
    public Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) {
        return ask("a look-up of " + keys.size() + " keys", () -> LedgerRows.known(connection, consumer, keys));
    }

    @Override
    public Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) {
        return ask(
                "a comparison of " + hashes.size() + " payloads",
                () -> LedgerRows.conflicting(connection, consumer, hashes));
    }

    @Override
    public JdbcContext context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        return new TransactionContext(this, consumer.name(), key, message, attempt);
    }

    @Override
    public void park(RegisteredConsumer consumer, List<ParkedMessage> messages) {
        if (!messages.isEmpty()) {
            run("to park " + messages.size() + " messages", () -> WorkRows.park(connection, consumer, messages));
        }
    }

    @Override
    public void bury(RegisteredConsumer consumer, List<DeadLetter> letters) {
        if (!letters.isEmpty()) {
            run("to bury " + letters.size() + " messages", () -> DeadLetterRows.bury(connection, consumer, letters));
        }
    }

    @Override
    public void record(RegisteredConsumer consumer, List<FinishedMessage> messages) {
        if (!messages.isEmpty()) {
            run(
                    "the history of " + messages.size() + " messages",
                    () -> HistoryRows.record(connection, consumer, messages));
        }
    }

    @Override
    public void lock(RegisteredConsumer consumer, List<Integer> lanes, Duration patience) {
        requireOpen();
        boolean first = !begun;
        begun = true;
        String sql = first ? LaneStatements.PREAMBLE_AND_LOCK : LaneStatements.LOCK;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (first) {
                statement.setString(1, idleLimit);
            }
            LaneLocks.bindLock(statement, first ? 2 : 1, milliseconds(patience), consumer, lanes);
            statement.execute();
        } catch (SQLException e) {
            throw refusedWait(e, patience, lanes.size() + " lanes");
        }
    }

    @Override
    public Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) {
        return ask(
                "to tell which of " + keys.size() + " keys are blocked",
                () -> LaneLocks.blocked(connection, consumer, keys));
    }

    @Override
    public void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) {
        if (!messages.isEmpty()) {
            run("to receive " + messages.size() + " messages", () -> WorkRows.receive(connection, consumer, messages));
        }
    }

    @Override
    public boolean enter(RegisteredConsumer consumer, int lane) {
        requireOpen();
        boolean first = !begun;
        begun = true;
        String sql = first ? LaneStatements.PREAMBLE_AND_ENTER : LaneStatements.ENTER;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (first) {
                statement.setString(1, idleLimit);
            }
            return LaneLocks.enter(statement, first ? 2 : 1, first ? RESULTS_OF_PREAMBLE : 0, consumer, lane);
        } catch (SQLException e) {
            noteLoss(e);
            throw Refusals.of(Claims.classify(e), "to enter lane " + lane, e);
        }
    }

    @Override
    public List<WorkItem> take(RegisteredConsumer consumer, int lane, int limit) {
        String doing = "to take from lane " + lane;
        if (consumer.order().isKept()) {
            return ask(doing, () -> DueWork.inOrder(connection, consumer, lane, limit));
        }
        DueHints.Lane of = DueHints.Lane.of(consumer, lane);
        DueHints.Hint hint = hints.of(of);
        DueWork.Taken taken = ask(doing, () -> DueWork.withoutOrder(connection, consumer, lane, limit, hint));
        whenCommitted = () -> hints.note(of, taken.next());
        return taken.items();
    }

    @Override
    public List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) {
        return ask("to take " + ids.size() + " messages again", () -> WorkRows.retake(connection, consumer, ids));
    }

    @Override
    public void postpone(RegisteredConsumer consumer, List<PostponedItem> items) {
        if (!items.isEmpty()) {
            run("to postpone " + items.size() + " messages", () -> WorkRows.postpone(connection, consumer, items));
        }
    }

    @Override
    public void requireLease(RegisteredConsumer consumer, List<WorkItem> items) {
        if (!items.isEmpty()) {
            run("to mark " + items.size() + " messages", () -> WorkRows.requireLease(connection, consumer, items));
        }
    }

    @Override
    public void finish(RegisteredConsumer consumer, List<WorkItem> items) {
        if (!items.isEmpty()) {
            run("to finish " + items.size() + " messages", () -> WorkRows.finish(connection, consumer, items));
        }
    }

    @Override
    public List<WorkItem> lease(RegisteredConsumer consumer, int lane, int limit, String owner, Duration duration) {
        return ask(
                "to lease from lane " + lane,
                () -> LeaseRows.lease(connection, consumer, lane, limit, owner, duration));
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, WorkItem item) {
        return ask("to hold a message", () -> LeaseRows.hold(connection, consumer, item));
    }

    @Override
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit) {
        return ask("to take expired leases", () -> LeaseRows.takeExpired(connection, consumer, limit));
    }

    @Override
    public Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return ask(
                "to count " + keys.size() + " messages again",
                () -> DeadLetterRows.seenAgain(connection, consumer, keys));
    }

    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return ask("to reopen " + keys.size() + " messages", () -> DeadLetterRows.reopen(connection, consumer, keys));
    }

    @Override
    public void flush() {
        if (deferred.isEmpty()) {
            return;
        }
        requireOpen();
        begin();
        deferred.flush(connection);
    }

    /** What is deferred goes first: a rollback to the savepoint must not take it along. */
    @Override
    public void savepoint() {
        requireOpen();
        flush();
        if (!begun) {
            begin(PostgresStatements.PREAMBLE_AND_SAVEPOINT);
        } else {
            execute(
                    "a savepoint",
                    savepointSet ? PostgresStatements.NEXT_SAVEPOINT : PostgresStatements.FIRST_SAVEPOINT);
        }
        savepointSet = true;
    }

    @Override
    public void rollbackToSavepoint() {
        deferred.clear();
        execute("a rollback to the savepoint", PostgresStatements.ROLLBACK_TO_SAVEPOINT);
    }

    @Override
    public void checkConstraints() {
        execute("to check the constraints", PostgresStatements.CHECK_CONSTRAINTS);
    }

    @Override
    public void commit() {
        flush();
        requireOpen();
        if (!begun) {
            finished = true;
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(PostgresStatements.PROVE_AND_COMMIT)) {
            statement.execute();
            finished = true;
        } catch (SQLException e) {
            throw refusedCommit(e);
        }
        whenCommitted.run();
    }

    private RuntimeException refusedCommit(SQLException e) {
        noteLoss(e);
        if (SqlStates.leavesCommitOpen(e)) {
            broken = true;
            return new OutcomeUnknownException(
                    "the connection was lost while the transaction was being committed: it may be committed or not. Hand"
                            + " the same messages in again; the ledger knows",
                    e);
        }
        return PostgresStatements.NOT_OURS.equals(e.getSQLState()) ? taken(e) : Refusals.inTransaction("to commit", e);
    }

    /** Not a failure of one message: what was committed with it cannot be taken back, and no replay will tell. */
    private static ConfigurationException taken(SQLException e) {
        return new ConfigurationException(
                "a handler ended the transaction by itself, with COMMIT or ROLLBACK in SQL. What was written before is"
                        + " committed without the rest, or lost; nothing after it is kept. Take the statement out",
                e);
    }

    /** For contexts: the connection with what is deferred already sent. */
    Connection connectionForHandlers() {
        requireOpen();
        flush();
        begin();
        Connection current = guarded;
        if (current == null) {
            current = GuardedConnection.around(connection, this::isOpen);
            guarded = current;
        }
        return current;
    }

    /** For contexts. */
    void defer(DeferredWrite write) {
        requireOpen();
        if (!harmless.contains(write.sql())) {
            TransactionControl.refuse(write.sql());
            harmless.add(write.sql());
        }
        deferred.add(write);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        deferred.clear();
        giveBack("rolled back", () -> {
            if (broken) {
                connection.abort(Runnable::run);
            } else if (!finished) {
                connection.rollback();
            }
        });
        giveBack("reset", () -> connection.setAutoCommit(autoCommit));
        giveBack("closed", connection::close);
    }

    private static void giveBack(String what, Step step) {
        try {
            step.run();
        } catch (SQLException | RuntimeException e) {
            LOG.debug("a connection could not be {}: it is left to its pool to notice", what, e);
        }
    }

    private boolean isOpen() {
        return !finished && !closed;
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException("the transaction has ended; its contexts are of no use any more");
        }
    }

    private void begin() {
        if (!begun) {
            begin(PostgresStatements.PREAMBLE);
        }
    }

    private void begin(String sql) {
        begun = true;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, idleLimit);
            statement.execute();
        } catch (SQLException e) {
            noteLoss(e);
            throw Refusals.of(Claims.classify(e), "to begin a transaction", e);
        }
    }

    private void execute(String doing, String sql) {
        run(doing, () -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        });
    }

    private void run(String doing, Step step) {
        requireOpen();
        begin();
        try {
            step.run();
        } catch (SQLException e) {
            noteLoss(e);
            boolean savepointIsGone = savepointSet && PostgresStatements.NO_SUCH_SAVEPOINT.equals(e.getSQLState());
            throw savepointIsGone ? taken(e) : Refusals.inTransaction(doing, e);
        }
    }

    private <T> T ask(String doing, Question<T> question) {
        requireOpen();
        begin();
        try {
            return question.ask();
        } catch (SQLException e) {
            noteLoss(e);
            throw Refusals.inTransaction(doing, e);
        }
    }

    private StoreException refusedWait(SQLException e, Duration patience, String what) {
        if (Claims.isBlocked(e)) {
            return new ClaimBlockedException(
                    "waited " + patience.toMillis() + " ms in vain for another transaction to let go of one of " + what,
                    e);
        }
        noteLoss(e);
        return Refusals.of(Claims.classify(e), "to get " + what, e);
    }

    /** A pool may look at a connection's health only now and then; one that is known to be lost is not given back alive. */
    private void noteLoss(SQLException e) {
        broken |= SqlStates.endsConnection(e);
    }

    private static String milliseconds(Duration duration) {
        // Zero would mean: without limit.
        return Math.max(1, Math.min(duration.toMillis(), Integer.MAX_VALUE)) + "ms";
    }

    /** Something to do on the connection. */
    @FunctionalInterface
    private interface Step {
        void run() throws SQLException;
    }

    /** Something to ask on the connection. */
    @FunctionalInterface
    private interface Question<T> {
        T ask() throws SQLException;
    }
}
