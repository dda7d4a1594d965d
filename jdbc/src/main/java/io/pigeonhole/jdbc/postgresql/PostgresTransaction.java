package io.pigeonhole.jdbc.postgresql;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.dialect.SqlStates;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.KeyArray;
import io.pigeonhole.jdbc.sql.Refusals;
import io.pigeonhole.jdbc.sql.ReplayCalls;
import io.pigeonhole.jdbc.sql.Sql;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import io.pigeonhole.jdbc.transaction.RowOperations;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction on PostgreSQL. What it needs at its beginning travels with its first statement, and the proof that it is
 * still alive travels with the commit, so that an undisturbed batch costs two round trips besides its handlers. Longer than 500
 * lines, because it is one short method for each of the engine's steps.
 */
final class PostgresTransaction extends JdbcTransaction {
    /** Results before the claim's own: the lock timeout, alone or with all that a transaction begins with. */
    private static final int RESULTS_BEFORE_CLAIM = 1;

    /** Where the level is set first. */
    private static final int RESULTS_OF_PREAMBLE = 2;

    /** Where the claim comes first, it requires a transaction. */
    private static final int RESULTS_OF_REQUIREMENT = 2;

    private static final int PARAMETERS_OF_PREAMBLE = 2;

    /** A statement of a handler may take as long as the transaction may be idle, but this at least. */
    private static final Duration SHORTEST_LIMIT = Duration.ofSeconds(1);

    private static final TransactionControl CONTROL = new TransactionControl(
            PostgresControl::endsTransaction,
            PostgresControl::makesForTransaction,
            PostgresControl::asStandard,
            PostgresControl::savepointName);

    private final IdleErrors errors;
    private final String idleLimit;
    private final String statementLimit;
    private final PostgresRows rows;
    private final OptimisticInserts optimisticInserts;
    private final MadeForTransaction madeForTransaction = new MadeForTransaction();
    private final PostgresSession session;
    private final PostgresSettings settings = new PostgresSettings();
    private boolean begun;
    private boolean handlersBegun;
    private boolean savepointSet;
    private boolean sessionInDoubt;
    /** Whether a handler has had the connection since the session was last put back. */
    private boolean sessionUnproven;

    /** Whether a framework is committing, and still has the connection. */
    private boolean committing;

    private @Nullable SQLWarning replicationCancelled;

    private final PendingRepairs repairs;
    private final KnownDays days;
    private final PostgresCalls calls;
    private final long begunAt;
    private @Nullable RegisteredConsumer advancing;
    private List<Advance> advances = List.of();

    /** Takes a transaction over that has begun; {@link #close} gives its connection back as it was. */
    PostgresTransaction(
            OwnTransaction own,
            Connection connection,
            Duration idleLimit,
            DueHints hints,
            OptimisticInserts optimisticInserts,
            PostgresSession session,
            PendingRepairs repairs,
            KnownDays days,
            PostgresTexts texts) {
        this(
                own,
                connection,
                idleLimit,
                hints,
                optimisticInserts,
                session,
                repairs,
                days,
                texts,
                new IdleErrors(idleLimit));
    }

    private PostgresTransaction(
            OwnTransaction own,
            Connection connection,
            Duration idleLimit,
            DueHints hints,
            OptimisticInserts optimisticInserts,
            PostgresSession session,
            PendingRepairs repairs,
            KnownDays days,
            PostgresTexts texts,
            IdleErrors errors) {
        super(own, connection, errors, CONTROL, session.longWrites());
        if (!isOfDataSource()) {
            requireParameters(connection);
        }
        this.errors = errors;
        this.repairs = repairs;
        this.days = days;
        this.calls = PostgresCalls.of(connection, texts);
        this.begunAt = repairs.missingDay().now();
        this.rows = new PostgresRows(calls, hints, repairs.missingDay(), begunAt);
        this.session = session;
        this.idleLimit = milliseconds(idleLimit);
        this.statementLimit = milliseconds(idleLimit.compareTo(SHORTEST_LIMIT) < 0 ? SHORTEST_LIMIT : idleLimit);
        this.optimisticInserts = optimisticInserts;
    }

    private static void requireParameters(Connection connection) {
        try {
            SimpleMode.refuse(connection);
        } catch (SQLException e) {
            throw new NoConnectionException(
                    "the framework's connection does not say how it sends statements: " + FailureText.messageOf(e), e);
        }
    }

    /** What was sent before the first handler was not idle. */
    @Override
    public JdbcContext context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        if (!handlersBegun) {
            handlersBegun = true;
            errors.used();
        }
        return super.context(consumer, key, message, attempt);
    }

    @Override
    public void calling() {
        errors.using();
    }

    @Override
    public void called(@Nullable Throwable failure) {
        errors.used();
    }

    @Override
    public Throwable forHandler(Throwable failure) {
        return errors.forHandler(failure);
    }

    @Override
    public void used() {
        errors.used();
    }

    @Override
    public void flush() {
        if (!hasDeferred()) {
            return;
        }
        if (errors.using() && !isOfDataSource()) {
            requireNotIdle();
        }
        try {
            super.flush();
        } finally {
            errors.used();
        }
    }

    /** What a handler does through its framework is not seen. A database that has ended the session meanwhile says so. */
    private void requireNotIdle() {
        errors.notIdle();
        try {
            execute(PostgresTransactionStatement.IS_PRIMARY);
        } catch (SQLException e) {
            noteLoss(e);
            if (errors.endsConnection(e)) {
                throw refused("to go on behind what a handler did through its framework", e);
            }
        }
    }

    @Override
    protected Claim claimKeys(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout) {
        requireOpen();
        try {
            boolean first = isFirst();
            if (keys.size() == 1
                    && days.have(keys.get(0))
                    && !session.longWrites().areExpected()) {
                return claimOne(first, consumer, keys, hashes, timeout);
            }
            Claim claim = first && optimisticInserts.mayTry(consumer.id())
                    ? claimAsNew(consumer, keys, hashes, timeout)
                    : null;
            if (claim == null) {
                claim = first
                        ? beginWith(
                                texts().beginWithClaim(),
                                (sql, skipped) -> claim(sql, skipped, true, consumer, keys, hashes, timeout))
                        : claimBehind(consumer, keys, hashes, timeout);
            }
            optimisticInserts.note(consumer.id(), claim.claimed().size() == keys.size());
            return claim;
        } catch (SQLException e) {
            days.forget();
            throw refusedWait(e, timeout, keys.size() + " keys");
        }
    }

    /**
     * A single insert, which is all there is to do where the key is new. Where nothing is inserted, a second one says why, and
     * what else has to be known then.
     */
    private Claim claimOne(
            boolean first,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            List<PayloadHash> hashes,
            Duration timeout)
            throws SQLException {
        boolean isNew = first
                ? beginWith(
                        texts().beginWithClaimOne(),
                        (sql, skipped) -> claimOne(sql, skipped, true, consumer, keys.get(0), hashes, timeout))
                : claimOne(
                        texts().sql(PostgresLedgerStatement.CLAIM_ONE),
                        RESULTS_BEFORE_CLAIM,
                        false,
                        consumer,
                        keys.get(0),
                        hashes,
                        timeout);
        return isNew ? Claim.ofAll(keys) : Claims.oneBehind(connection, texts(), consumer, keys.get(0), hashes);
    }

    private <T> T beginWith(PostgresTexts.Beginning beginning, Claiming<T> claiming) throws SQLException {
        if (session.beginsAsOurs()) {
            try {
                return claiming.with(beginning.usual(), RESULTS_BEFORE_CLAIM + RESULTS_OF_REQUIREMENT);
            } catch (SQLException e) {
                if (!Claims.beginsOtherwise(e)) {
                    throw e;
                }
                // As if it had not begun.
                connection.rollback();
            }
        }
        T answer = claiming.with(beginning.otherwise(), RESULTS_OF_PREAMBLE + RESULTS_OF_REQUIREMENT);
        session.setBeginsOtherwise();
        return answer;
    }

    /** Executes a claim that stands behind so many other results. */
    @FunctionalInterface
    private interface Claiming<T> {
        T with(String sql, int skipped) throws SQLException;
    }

    private boolean claimOne(
            String sql,
            int skipped,
            boolean first,
            RegisteredConsumer consumer,
            MessageKey key,
            List<PayloadHash> hashes,
            Duration timeout)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int next = bindBeginning(statement, first);
            statement.setString(next++, milliseconds(timeout));
            return Claims.one(statement, next, skipped, consumer, key, hashes);
        }
    }

    private PostgresTexts texts() {
        return calls.texts();
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

    /** The parameters of the preamble, where it goes with the statement; answers which parameter is next. */
    private int bindBeginning(PreparedStatement statement, boolean first) throws SQLException {
        if (!first) {
            return 1;
        }
        statement.setString(1, idleLimit);
        statement.setString(2, statementLimit);
        return PARAMETERS_OF_PREAMBLE + 1;
    }

    private Call bindBeginning(Call call, boolean first) throws SQLException {
        return first ? call.text("idle_limit", idleLimit).text("statement_limit", statementLimit) : call;
    }

    /** A statement that answers, behind the preamble where that goes with it. */
    private Call callMaybeFirst(PostgresTexts.MaybeFirst statement, boolean first) throws SQLException {
        int answersBefore = first ? RESULTS_OF_PREAMBLE : 0;
        return Call.behind(answersBefore, connection, statement.where(first), calls.values());
    }

    /** Null where a key is known: then nothing was done in the transaction, and it is as if it had not begun. */
    private @Nullable Claim claimAsNew(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout)
            throws SQLException {
        try {
            return beginWith(
                    texts().beginWithClaimAsNew(),
                    (sql, skipped) -> claim(sql, skipped, true, consumer, keys, hashes, timeout));
        } catch (SQLException e) {
            if (!PostgresStates.UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            return null;
        }
    }

    private Claim claimBehind(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout)
            throws SQLException {
        return claim(
                texts().sql(PostgresLedgerStatement.CLAIM),
                RESULTS_BEFORE_CLAIM,
                false,
                consumer,
                keys,
                hashes,
                timeout);
    }

    private Claim claim(
            String sql,
            int skipped,
            boolean first,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            List<PayloadHash> hashes,
            Duration timeout)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int next = bindBeginning(statement, first);
            statement.setString(next++, milliseconds(timeout));
            statement.setShort(next++, consumer.id());
            statement.setString(next++, KeyArray.write(keys));
            statement.setString(next++, KeyArray.writeHashes(hashes));
            statement.setInt(next++, keys.size());
            statement.setShort(next, consumer.id());
            return Claims.execute(statement, skipped, consumer, keys, days);
        }
    }

    @Override
    public AdminSession adminSession() {
        return new AdminSession(
                connection,
                texts().statements(),
                calls.values(),
                new PostgresAdminOperations(connection, texts().statements(), days));
    }

    /** By a lock that the server grants or refuses at once: an insert that waited in vain would end the transaction, and fill its log. */
    @Override
    public <T> T claimRow(RegisteredConsumer consumer, MessageKey key, Question<T> change) {
        return read("to get the key of a request", () -> {
            try (Call call = calls.call(PostgresTransactionStatement.LOCK_ROW)) {
                boolean locked =
                        call.text("row_key", consumer.id() + " " + key).read(row -> row.next() && row.getBoolean(1));
                if (!locked) {
                    throw new ClaimBlockedException("another transaction is at the same request", null);
                }
            }
            return change.ask();
        });
    }

    @Override
    public void lock(RegisteredConsumer consumer, List<Integer> workPartitions, Duration timeout) {
        requireOpen();
        boolean first = isFirst();
        try (Call call = calls.call(texts().lockWorkPartitions().where(first))) {
            WorkPartitionLocks.lock(bindBeginning(call, first), milliseconds(timeout), consumer, workPartitions);
        } catch (SQLException e) {
            throw refusedWait(e, timeout, workPartitions.size() + " work partitions");
        }
    }

    @Override
    public boolean enter(RegisteredConsumer consumer, int workPartition) {
        requireOpen();
        boolean first = isFirst();
        try (Call call = callMaybeFirst(texts().enterWorkPartition(), first)) {
            return WorkPartitionLocks.enter(bindBeginning(call, first), consumer, workPartition);
        } catch (SQLException e) {
            noteLoss(e);
            throw Refusals.of(Claims.classify(e), "to enter work partition " + workPartition, e);
        }
    }

    /** In isolation each handler is to fail for itself only, so that nothing is left to the proof at the commit. */
    @Override
    public void handlerLeft(boolean sessionChanged) {
        if (!isOfDataSource()) {
            errors.notIdle();
        }
        sessionUnproven = true;
        sessionInDoubt |= sessionChanged || savepointSet || session.isChangeExpected();
        endWhatWasMade();
    }

    /** Where a statement has failed before, what was made goes with the rollback. */
    private void endWhatWasMade() {
        if (isLost()) {
            return;
        }
        try {
            madeForTransaction.end(connection, texts(), this::restoreSession);
        } catch (SQLException e) {
            noteLoss(e);
            if (!PostgresStates.IN_FAILED_SQL_TRANSACTION.equals(e.getSQLState())) {
                throw refused("to take away the temporary tables of a handler", e);
            }
        }
    }

    @Override
    public boolean setsSession(String sql) {
        return PostgresSettings.areIn(sql);
    }

    @Override
    public void sessionChanging(String sql) throws SQLException {
        settings.changing(connection, sql);
        sessionChanging();
    }

    @Override
    protected void makingForTransaction() throws SQLException {
        madeForTransaction.begin(connection, texts());
    }

    private void restoreSession() {
        sessionInDoubt = false;
        try (Statement statement = connection.createStatement()) {
            statement.execute(texts().sql(PostgresTransactionStatement.RESTORE) + settings.restore());
            sessionUnproven = false;
        } catch (SQLException e) {
            noteLoss(e);
            throw refused("to put back what a handler changed about the session", e);
        }
    }

    /**
     * With what goes before the end of the transaction, in the same round trip. Triggers of deferred constraints run without what
     * handlers have set; what they set themselves is put back once a proof has found it.
     */
    private String ending(String proof, String usual) {
        boolean restore = sessionInDoubt;
        sessionInDoubt = false;
        if (!restore && !session.isChangeExpectedAtCommit()) {
            return usual;
        }
        String putBack = texts().sql(PostgresTransactionStatement.RESTORE);
        String end = session.isChangeExpectedAtCommit() ? texts().behindConstraints(putBack + ";\n" + proof) : usual;
        return restore ? putBack + settings.restore() + ";\n" + end : end;
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
            begin(PostgresTransactionStatement.BEGIN_AND_SET_SAVEPOINT);
        } else {
            execute(
                    "a savepoint",
                    savepointSet
                            ? PostgresTransactionStatement.SET_NEXT_SAVEPOINT
                            : PostgresTransactionStatement.SET_SAVEPOINT);
        }
        savepointSet = true;
    }

    private void execute(String doing, PostgresTransactionStatement statement) {
        run(doing, () -> execute(statement));
    }

    @Override
    public void rollbackToSavepoint() {
        discardDeferred();
        // What a handler set since then goes with it.
        sessionInDoubt = false;
        sessionUnproven = false;
        execute("a rollback to the savepoint", PostgresTransactionStatement.ROLL_BACK_TO_SAVEPOINT);
        forgetErrors();
        clearFramework();
    }

    @Override
    public void checkConstraints() {
        requireOpen();
        try (PreparedStatement statement =
                prepare("to check the constraints", texts().sql(PostgresTransactionStatement.CHECK_CONSTRAINTS))) {
            begin();
            statement.execute();
        } catch (SQLException e) {
            noteLoss(e);
            throw refused("to check the constraints", e);
        }
    }

    /** Without the time limit that a pool or a driver may give each statement: a COMMIT that waits for a standby is not to be cancelled. */
    private PreparedStatement prepareCommit(String sql) {
        PreparedStatement statement = prepare("to commit", sql);
        try {
            statement.setQueryTimeout(0);
            return statement;
        } catch (SQLException e) {
            noteLoss(e);
            throw refused("to commit", e);
        }
    }

    /**
     * A statement for the end of handlers' work. Preparing sends nothing, and fails where the driver has closed the connection
     * because it was lost, which a handler then has hidden: the transaction is rolled back.
     */
    private PreparedStatement prepare(String doing, String sql) {
        try {
            return connection.prepareStatement(sql);
        } catch (SQLException e) {
            noteLoss(e);
            throw SqlStates.leavesCommitOpen(e)
                    ? new StoreException(
                            ErrorClass.ABORTED,
                            "the connection was lost before the transaction was committed, and no handler has said so:"
                                    + " nothing of it is committed. " + Refusals.describe(doing, e),
                            ErrorsWithoutValues.of(e))
                    : refused(doing, e);
        }
    }

    /** An error of theirs that looks like a lost connection says then that COMMIT was not sent. */
    private void checkConstraintsBeforeCommit() {
        try (PreparedStatement statement =
                prepare("to commit", texts().sql(PostgresTransactionStatement.FIRE_CONSTRAINTS))) {
            begin();
            statement.execute();
        } catch (SQLException e) {
            noteLoss(e);
            throw Refusals.of(SqlStates.ERRORS.classifyOwn(e), "to commit", e);
        }
    }

    @Override
    public List<Watermark> watermarks(RegisteredConsumer consumer, Collection<LogPartition> partitions) {
        requireOpen();
        boolean first = isFirst();
        try (Call call = callMaybeFirst(texts().findWatermarks(), first)) {
            return WatermarkRows.find(bindBeginning(call, first), consumer, partitions);
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

    private Sql.Text advance(boolean first) {
        PostgresTexts.MaybeFirst advance = texts().advance();
        if (first) {
            return advance.first();
        }
        String alone = advance.later().sql();
        return advance.later().as(ending(alone, texts().usualAdvance()));
    }

    private void advanceAndCommit(RegisteredConsumer consumer) {
        boolean first = !begun;
        begun = true;
        Sql.Text text = advance(first);
        text = text.as(withOwnCommit(text.sql()));
        try (Call call = Call.on(prepareCommit(text.sql()), text, calls.values())) {
            WatermarkRows.advance(bindBeginning(call, first), consumer, advances);
            requireReplicated(CancelledReplication.find(call::warnings));
            commitBehind();
        } catch (SQLException e) {
            if (first && PostgresStates.FEATURE_NOT_SUPPORTED.equals(e.getSQLState())) {
                throw Refusals.of(Claims.classify(e), "to begin a transaction", e);
            }
            if (WatermarkRows.isMoved(e)) {
                throw new WatermarkMovedException(
                        "one of " + advances.size() + " watermarks is not where it was read", e);
            }
            throw PostgresStates.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState()) && !session.isChangeExpectedAtCommit()
                    ? withoutRight(e)
                    : refusedCommit(e);
        }
        rows.committed();
    }

    @Override
    public void commit() {
        flush();
        requireOpen();
        if (begun && session.areConstraintsCheckedBeforeCommit()) {
            checkConstraintsBeforeCommit();
        }
        if (advancing != null) {
            advanceAndCommit(advancing);
            return;
        }
        if (!begun) {
            commitUnused();
            return;
        }
        String end = ending(texts().sql(PostgresTransactionStatement.COMMIT), texts().usualCommit());
        try (PreparedStatement statement = prepareCommit(withOwnCommit(end))) {
            statement.execute();
            requireReplicated(CancelledReplication.find(statement::getWarnings));
            commitBehind();
        } catch (SQLException e) {
            throw refusedCommit(e);
        }
        rows.committed();
    }

    private void commitUnused() {
        try {
            commitBehind();
        } catch (SQLException e) {
            throw refusedCommit(e);
        }
    }

    /** The server answers a COMMIT whose wait for a synchronous standby was cancelled with a warning only. */
    private void requireReplicated(@Nullable SQLWarning cancelled) {
        if (cancelled != null) {
            lost();
            throw new OutcomeUnknownException(
                    "the wait of COMMIT for a synchronous standby was cancelled: the transaction is committed on this server,"
                            + " and may be missing on the standby. Hand the same messages in again; the ledger of the"
                            + " server that is the primary by then knows",
                    ErrorsWithoutValues.of(cancelled));
        }
    }

    /** A framework commits through the connection, and may give it back within that. */
    @Override
    protected void commitOwn() throws SQLException {
        CancelledReplication.forget(connection);
        committing = true;
        super.commitOwn();
        noteReplication();
        requireReplicated(replicationCancelled);
    }

    @Override
    public void restore(boolean autoCommit) {
        noteReplication();
    }

    private void noteReplication() {
        if (committing) {
            committing = false;
            replicationCancelled = CancelledReplication.find(connection::getWarnings);
        }
    }

    private RuntimeException refusedCommit(SQLException e) {
        noteLoss(e);
        if (SqlStates.leavesCommitOpen(e)) {
            lost();
            session.checkConstraintsBeforeCommit();
            return new OutcomeUnknownException(
                    "the connection was lost while the transaction was being committed: it may be committed or not. Hand"
                            + " the same messages in again; the ledger knows",
                    e);
        }
        if (PostgresStates.CANT_CHANGE_RUNTIME_PARAM.equals(e.getSQLState())) {
            return taken(e);
        }
        return PostgresStates.ACTIVE_SQL_TRANSACTION.equals(e.getSQLState())
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
    public void begin() {
        errors.using();
        if (!begun) {
            begin(PostgresTransactionStatement.BEGIN);
        } else if (sessionInDoubt) {
            restoreSession();
        }
    }

    private void begin(PostgresTransactionStatement beginning) {
        begun = true;
        try (PreparedStatement statement = connection.prepareStatement(texts().sql(beginning))) {
            bindBeginning(statement, true);
            statement.execute();
        } catch (SQLException e) {
            noteLoss(e);
            throw Refusals.of(Claims.classify(e), "to begin a transaction", e);
        }
    }

    @Override
    public RowOperations rows() {
        return rows;
    }

    @Override
    public ReplayCalls replayCalls() {
        return new PostgresReplayCalls(calls);
    }

    @Override
    public RuntimeException refused(String doing, SQLException e) {
        boolean savepointIsGone =
                savepointSet && PostgresStates.INVALID_SAVEPOINT_SPECIFICATION.equals(e.getSQLState());
        if (savepointIsGone) {
            return taken(e);
        }
        if (isOwn() && PostgresStates.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
            session.longWrites().expect();
        }
        if (isOwn() && PostgresStates.QUERY_CANCELED.equals(e.getSQLState())) {
            ErrorClass own = errors.classifyOwn(e);
            return Refusals.of(cancelled(own), doing, e);
        }
        if (isWriting()
                && PostgresStates.UNIQUE_VIOLATION.equals(e.getSQLState())
                && repairs.takenNumber().isSuspected(begunAt)) {
            return repairs.takenNumber().refusal(doing, e);
        }
        return sessionUnproven && PostgresStates.INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())
                ? changedUnseen(Refusals.describe(doing, e), e)
                : Refusals.of(errors.classifyOwn(e), doing, e);
    }

    @Override
    public void liftHandlersLimit() throws SQLException {
        execute(PostgresTransactionStatement.LIFT_HANDLERS_LIMIT);
    }

    @Override
    public void setHandlersLimit() throws SQLException {
        execute(PostgresTransactionStatement.SET_HANDLERS_LIMIT);
    }

    private void execute(PostgresTransactionStatement named) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(texts().sql(named));
        }
    }

    /** It refuses everything after an error. */
    @Override
    public boolean goesOnAfter(SQLException failure) {
        return false;
    }

    /** Rows that are not there may only be hidden from a role that a handler took. */
    @Override
    public StoreException refused(String doing, StoreException e) {
        // While our own limits hold, the session is not as it was in any case.
        if (!sessionUnproven || isWritingUnlimited()) {
            return e;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(texts().sql(PostgresTransactionStatement.IS_CHANGED))) {
            return row.next() && row.getBoolean(1) ? changedUnseen(doing + ": " + e.getMessage(), e) : e;
        } catch (SQLException failed) {
            e.addSuppressed(failed);
            return e;
        }
    }

    private StoreException refusedWait(SQLException e, Duration timeout, String what) {
        if (Claims.isBlocked(e)) {
            if (PostgresStates.QUERY_CANCELED.equals(e.getSQLState())) {
                session.longWrites().expect();
            }
            return new ClaimBlockedException(
                    "waited " + timeout.toMillis() + " ms in vain for another transaction to let go of one of " + what,
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
