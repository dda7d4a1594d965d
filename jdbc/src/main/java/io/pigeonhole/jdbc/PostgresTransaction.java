package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import io.pigeonhole.core.store.WorkItem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A transaction on PostgreSQL. What it needs at its beginning travels with its first statement, and the proof that it is
 * still alive travels with the commit, so that an undisturbed batch costs two trips besides its handlers. Longer than 500
 * lines, because it is one short method for each of the engine's steps.
 */
final class PostgresTransaction extends JdbcTransaction {
    /** Results before the claim's own: the patience; with the preamble also its two statements. */
    private static final int RESULTS_BEFORE_CLAIM = 1;

    private static final int RESULTS_OF_PREAMBLE = 2;

    private static final TransactionControl CONTROL = new TransactionControl(
            PostgresControl::endsTransaction, PostgresControl::withoutText, PostgresControl::savepointName);

    private final String idleLimit;
    private final DueHints hints;
    private final FreshStreaks streaks;
    private final PostgresSession session;
    private final PostgresSettings settings = new PostgresSettings();
    private Runnable whenCommitted = () -> {};
    private boolean begun;
    private boolean savepointSet;
    private boolean sessionInDoubt;
    /** Whether a handler has had the connection since the session was last put back. */
    private boolean sessionUnproven;

    private final MissingDays missingDays;
    private final long begunAt;
    private @Nullable RegisteredConsumer advancing;
    private List<Advance> advances = List.of();

    /** Takes the connection over; {@link #close} gives it back as it was. */
    PostgresTransaction(
            Connection connection,
            Duration idleLimit,
            DueHints hints,
            FreshStreaks streaks,
            PostgresSession session,
            MissingDays missingDays)
            throws SQLException {
        super(connection, SqlStates.ERRORS, CONTROL);
        this.missingDays = missingDays;
        this.begunAt = missingDays.now();
        this.session = session;
        this.idleLimit = milliseconds(idleLimit);
        this.hints = hints;
        this.streaks = streaks;
    }

    @Override
    public Claim claim(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration patience) {
        requireOpen();
        try {
            boolean first = isFirst();
            Claim claim = first && streaks.isLong(consumer.id()) ? claimAsNew(consumer, keys, hashes, patience) : null;
            if (claim == null) {
                String sql = first ? PostgresStatements.PREAMBLE_AND_CLAIM : PostgresStatements.CLAIM;
                claim = claim(sql, first, consumer, keys, hashes, patience);
            }
            streaks.note(consumer.id(), claim.claimed().size() == keys.size());
            return claim;
        } catch (SQLException e) {
            throw refusedWait(e, patience, keys.size() + " keys");
        }
    }

    /** Whether the preamble is to go with the next statement. */
    private boolean isFirst() {
        boolean first = !begun;
        if (first) {
            begun = true;
        } else {
            begin();
        }
        return first;
    }

    /** Null where a key is known: then nothing was done in the transaction, and it is as if it had not begun. */
    private @Nullable Claim claimAsNew(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration patience)
            throws SQLException {
        try {
            return claim(PostgresStatements.PREAMBLE_AND_CLAIM_NEW, true, consumer, keys, hashes, patience);
        } catch (SQLException e) {
            if (!PostgresStatements.KNOWN_KEY.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            return null;
        }
    }

    private Claim claim(
            String sql,
            boolean first,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            List<PayloadHash> hashes,
            Duration patience)
            throws SQLException {
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
            String doing = "the history of " + messages.size() + " messages";
            run(doing, () -> {
                try {
                    HistoryRows.record(connection, consumer, messages);
                } catch (SQLException e) {
                    if (missingDays.isMissed(e.getSQLState(), begunAt)) {
                        throw Refusals.of(ErrorClass.RETRY_NOW, doing, e);
                    }
                    throw e;
                }
            });
        }
    }

    @Override
    public void lock(RegisteredConsumer consumer, List<Integer> lanes, Duration patience) {
        requireOpen();
        boolean first = isFirst();
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
        boolean first = isFirst();
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
    public List<WorkItem> take(RegisteredConsumer consumer, int lane, int limit, long bytes) {
        String doing = "to take from lane " + lane;
        if (consumer.order().isKept()) {
            return ask(doing, () -> DueWork.inOrder(connection, consumer, lane, limit, bytes));
        }
        DueHints.Lane of = DueHints.Lane.of(consumer, lane);
        DueHints.Hint hint = hints.of(of);
        DueWork.Taken taken = ask(doing, () -> DueWork.withoutOrder(connection, consumer, lane, limit, bytes, hint));
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
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) {
        return ask("to take expired leases", () -> LeaseRows.takeExpired(connection, consumer, limit, bytes));
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

    /** In isolation each handler is to fail for itself only, so that nothing is left to the proof at the commit. */
    @Override
    void handlerLeft(boolean sessionChanged) {
        sessionUnproven = true;
        sessionInDoubt |= sessionChanged || savepointSet || session.isChangeExpected();
    }

    @Override
    boolean setsSession(String sql) {
        return PostgresSettings.areIn(sql);
    }

    @Override
    void sessionChanging(String sql) throws SQLException {
        settings.changing(connection, sql);
        sessionChanging();
    }

    private void restoreSession() {
        sessionInDoubt = false;
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresSession.RESTORE + settings.restore());
            sessionUnproven = false;
        } catch (SQLException e) {
            noteLoss(e);
            throw refused("to put back what a handler changed about the session", e);
        }
    }

    /**
     * With what goes before the end of the transaction, in the same trip. Triggers of deferred constraints run without what
     * handlers have set; what they set themselves is put back once a proof has found it.
     */
    private String ending(String proof) {
        String end = PostgresStatements.CONSTRAINTS + ";\n"
                + (session.isChangeExpectedAtCommit() ? PostgresSession.RESTORE + ";\n" + proof : proof);
        boolean restore = sessionInDoubt;
        sessionInDoubt = false;
        return restore ? PostgresSession.RESTORE + settings.restore() + ";\n" + end : end;
    }

    private StoreException changedUnseen(String doing, Exception e) {
        session.expectChanges();
        return new StoreException(
                ErrorClass.ABORTED,
                doing
                        + ": a handler changed the session (role, search_path or timeouts) where nobody saw it, such as in a"
                        + " function; the messages run again one by one, and the session is put back behind each",
                e);
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
        discardDeferred();
        // What a handler set since then goes with it.
        sessionInDoubt = false;
        sessionUnproven = false;
        execute("a rollback to the savepoint", PostgresStatements.ROLLBACK_TO_SAVEPOINT);
    }

    @Override
    public void checkConstraints() {
        execute("to check the constraints", PostgresStatements.CHECK_CONSTRAINTS);
    }

    @Override
    public List<Watermark> watermarks(RegisteredConsumer consumer, Collection<LogPartition> partitions) {
        requireOpen();
        boolean first = isFirst();
        String sql = first ? WatermarkStatements.PREAMBLE_AND_WATERMARKS : WatermarkStatements.WATERMARKS;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (first) {
                statement.setString(1, idleLimit);
            }
            return WatermarkRows.find(statement, first ? 2 : 1, first ? RESULTS_OF_PREAMBLE : 0, consumer, partitions);
        } catch (SQLException e) {
            noteLoss(e);
            throw Refusals.of(Claims.classify(e), "to read watermarks", e);
        }
    }

    /** They travel with the commit. */
    @Override
    public void advance(RegisteredConsumer consumer, List<Advance> steps) {
        requireOpen();
        advancing = consumer;
        advances = steps;
    }

    private void advanceAndCommit(RegisteredConsumer consumer) {
        boolean first = !begun;
        begun = true;
        String sql = first
                ? WatermarkStatements.PREAMBLE_ADVANCE_AND_COMMIT
                : ending(WatermarkStatements.ADVANCE_AND_COMMIT);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (first) {
                statement.setString(1, idleLimit);
            }
            WatermarkRows.bind(statement, first ? 2 : 1, consumer, advances);
            statement.execute();
            ended();
        } catch (SQLException e) {
            if (WatermarkStatements.MOVED.equals(e.getSQLState())) {
                throw new WatermarkMovedException(
                        "one of " + advances.size() + " watermarks is not where it was read", e);
            }
            throw PostgresSession.NO_RIGHT.equals(e.getSQLState()) && !session.isChangeExpectedAtCommit()
                    ? withoutRight(e)
                    : refusedCommit(e);
        }
        whenCommitted.run();
    }

    @Override
    public void commit() {
        flush();
        requireOpen();
        if (advancing != null) {
            advanceAndCommit(advancing);
            return;
        }
        if (!begun) {
            ended();
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(ending(PostgresStatements.PROVE_AND_COMMIT))) {
            statement.execute();
            ended();
        } catch (SQLException e) {
            throw refusedCommit(e);
        }
        whenCommitted.run();
    }

    private RuntimeException refusedCommit(SQLException e) {
        noteLoss(e);
        if (SqlStates.leavesCommitOpen(e)) {
            lost();
            return new OutcomeUnknownException(
                    "the connection was lost while the transaction was being committed: it may be committed or not. Hand"
                            + " the same messages in again; the ledger knows",
                    e);
        }
        if (PostgresStatements.NOT_OURS.equals(e.getSQLState())) {
            return taken(e);
        }
        return PostgresSession.CHANGED.equals(e.getSQLState())
                ? changedUnseen(Refusals.describe("to commit", e), e)
                : Refusals.of(SqlStates.ERRORS.classifyOwn(e), "to commit", e);
    }

    /** Only the watermarks need a right at the commit. */
    private StoreException withoutRight(SQLException e) {
        session.expectChangesAtCommit();
        return new StoreException(
                ErrorClass.ABORTED,
                Refusals.describe("to commit", e)
                        + ": a trigger of a deferred constraint lacks a right, or has taken a role that lacks ours; the"
                        + " messages run again one by one, and from now on the session is put back before the watermarks"
                        + " move",
                ErrorsWithoutValues.of(e));
    }

    @Override
    void begin() {
        if (!begun) {
            begin(PostgresStatements.PREAMBLE);
        } else if (sessionInDoubt) {
            restoreSession();
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

    @Override
    ReplayCalls replayCalls() {
        return statement -> PostgresCall.besideHandlers(connection, statement);
    }

    @Override
    RuntimeException refused(String doing, SQLException e) {
        boolean savepointIsGone = savepointSet && PostgresStatements.NO_SUCH_SAVEPOINT.equals(e.getSQLState());
        if (savepointIsGone) {
            return taken(e);
        }
        return sessionUnproven && PostgresSession.NO_RIGHT.equals(e.getSQLState())
                ? changedUnseen(Refusals.describe(doing, e), e)
                : Refusals.of(SqlStates.ERRORS.classifyOwn(e), doing, e);
    }

    /** Rows that are not there may only be hidden from a role that a handler took. */
    @Override
    StoreException refused(String doing, StoreException e) {
        if (!sessionUnproven) {
            return e;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(PostgresSession.IS_CHANGED)) {
            return row.next() && row.getBoolean(1) ? changedUnseen(doing + ": " + e.getMessage(), e) : e;
        } catch (SQLException failed) {
            e.addSuppressed(failed);
            return e;
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

    private static String milliseconds(Duration duration) {
        // Zero would mean: without limit.
        return Math.max(1, Math.min(duration.toMillis(), Integer.MAX_VALUE)) + "ms";
    }
}
