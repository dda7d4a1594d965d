package io.pigeonhole.jdbc.generic;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.dialect.Dialect;
import io.pigeonhole.jdbc.dialect.PlainErrors;
import io.pigeonhole.jdbc.dialect.SessionChange;
import io.pigeonhole.jdbc.dialect.SessionStatement;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.Refusals;
import io.pigeonhole.jdbc.sql.ReplayCalls;
import io.pigeonhole.jdbc.sql.ShortTransactions;
import io.pigeonhole.jdbc.sql.StoreSchema;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import io.pigeonhole.jdbc.transaction.LongWrites;
import io.pigeonhole.jdbc.transaction.PendingRepair;
import io.pigeonhole.jdbc.transaction.RowOperations;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction on a database that goes on after an error and says nothing when it is rolled back as a whole. So it keeps
 * account itself: after an error of a statement of ours, or a lost lock of a handler's, it refuses all but the way back to
 * the savepoint; and a savepoint that is set at its beginning and must be there at its end proves that it is still the same
 * transaction.
 *
 * <p>One long class, because it is all of {@code InboxTransaction} around that one account: a method for each operation, most
 * of them a few lines that hand over to the class which knows the rows.
 */
final class PlainTransaction extends JdbcTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(PlainTransaction.class);

    private static final String SAVEPOINT = "pigeonhole";

    /** Below this many bytes a message fits everywhere. */
    private static final long LARGE = 512 * 1024;

    /** How many times a claim begins anew that met a deadlock before anything else was done. */
    private static final int FRESH_STARTS = 50;

    private final Dialect dialect;
    private final PlainErrors errors;
    private final Duration idleLimit;
    private final PlainSettings settings;
    private final PacketProof proof;

    private final SessionStatements sessionStatements;
    private final PendingRepair takenNumber;
    private final long begunAt;
    private @Nullable PlainSession session;
    private @Nullable String doomed;
    private boolean timedOut;
    private @Nullable String number;
    private boolean savepointSet;

    /** Whether the claimed key is a mark of ours, and whether a rollback to the savepoint takes it along. */
    private boolean marked;

    private boolean markedBehindSavepoint;
    private boolean committing;
    private boolean rolledBackAtCommit;
    /** What the look at the ledger behind a framework's COMMIT has failed with. */
    private @Nullable Throwable unknownBecause;

    /** What puts the session back to what it was before a handler may have changed it; none before that. */
    private List<String> sessionBefore = List.of();

    private boolean sessionInDoubt;

    /** Whether anything was done in it, so that it cannot begin anew by itself. */
    private boolean used;

    private long lastUse = System.nanoTime();

    /** Takes a transaction over that has begun; {@link #close} gives its connection back as it was. */
    PlainTransaction(
            OwnTransaction own,
            Connection connection,
            Dialect dialect,
            TransactionControl control,
            Duration idleLimit,
            PacketProof proof,
            LongWrites longWrites,
            SessionStatements sessionStatements,
            PendingRepair takenNumber) {
        super(own, connection, new PlainErrors(dialect), control, longWrites);
        this.proof = proof;
        this.sessionStatements = sessionStatements;
        this.takenNumber = takenNumber;
        this.begunAt = takenNumber.now();
        this.dialect = dialect;
        this.errors = new PlainErrors(dialect);
        this.idleLimit = idleLimit;
        this.settings = new PlainSettings(connection, dialect);
    }

    @Override
    public JdbcContext context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        mark(consumer);
        return super.context(consumer, key, message, attempt);
    }

    /**
     * Work that is due, watermarks and replays claim nothing. So that it can be told where handlers have a framework whether their
     * transaction was committed, a key of its own goes into the ledger with it, until {@link #restore} has looked.
     */
    private void mark(RegisteredConsumer consumer) {
        if (isOfDataSource() || claimed() != null) {
            return;
        }
        UUID random = UUID.randomUUID();
        MessageKey key = new MessageKey(
                MessageKey.FIRST_DIGEST.high() | random.getMostSignificantBits() >>> Byte.SIZE,
                random.getLeastSignificantBits());
        run("to mark the transaction", () -> PlainClaims.mark(session(), consumer, key));
        noteKey(consumer, key);
        marked = true;
        markedBehindSavepoint = savepointSet;
    }

    private PlainSession session() {
        PlainSession current = session;
        if (current == null) {
            throw new IllegalStateException("the transaction has not begun");
        }
        return current;
    }

    @Override
    public void begin() {
        requireSound();
        used = true;
        if (session == null) {
            try {
                start();
            } catch (SQLException e) {
                noteLoss(e);
                throw refused("to begin a transaction", e);
            }
        } else if (sessionInDoubt) {
            putBackSession();
        }
    }

    private void putBackSession() {
        try {
            restoreSession();
            sessionInDoubt = false;
        } catch (SQLException e) {
            noteLoss(e);
            throw refused("to put back what a handler changed about the session", e);
        }
    }

    /** Only what is not as it was, since what a user may not change, he may not put back either. */
    private void restoreSession() throws SQLException {
        List<String> changed = new ArrayList<>(sessionBefore);
        changed.removeAll(dialect.session(handlers));
        Connections.execute(handlers, changed);
    }

    @Override
    public void sessionChanging() {
        super.sessionChanging();
        if (sessionBefore.isEmpty()) {
            try {
                sessionBefore = dialect.session(handlers);
            } catch (SQLException e) {
                noteLoss(e);
                throw refused("to find out what the session is", e);
            }
        }
    }

    @Override
    public void queryTimeoutChanging() {
        if (dialect.keepsQueryTimeout()) {
            sessionChanging();
        }
    }

    @Override
    public boolean setsSession(String sql) {
        return SessionChange.isSetIn(dialect.withoutText(sql));
    }

    @Override
    public void handlerLeft(boolean sessionChanged) {
        sessionInDoubt |= sessionChanged;
        if (!isOfDataSource()) {
            // What it did through its framework was not seen.
            lastUse = System.nanoTime();
        }
    }

    @Override
    public RowOperations rows() {
        return new PlainRows(session());
    }

    @Override
    public void liftHandlersLimit() throws SQLException {
        settings.liftHandlersLimit();
    }

    @Override
    public void setHandlersLimit() throws SQLException {
        settings.setHandlersLimit(idleLimit);
    }

    @Override
    public boolean goesOnAfter(SQLException failure) {
        return !dialect.isConnectionLost(failure);
    }

    @Override
    public ReplayCalls replayCalls() {
        return new PlainReplayCalls(this::session);
    }

    private void start() throws SQLException {
        settings.beginForHandlers(idleLimit);
        session = PlainSession.on(connection, dialect);
        number = null;
        for (String statement : dialect.markTransaction()) {
            sql(statement);
        }
    }

    private void startAnew() throws SQLException {
        connection.rollback();
        settings.end();
        savepointSet = false;
        start();
    }

    /**
     * Also where the database did not notice how long it was idle, because it knows whole seconds only, or nothing of the
     * kind.
     */
    private void requireSound() {
        long idle = System.nanoTime() - lastUse;
        if (doomed == null && session != null && idle >= idleLimit.toNanos() && !goesOn()) {
            doomed = "it was idle for " + idle / 1_000_000 + " ms, the limit is " + idleLimit.toMillis() + " ms";
            timedOut = true;
        }
        String why = doomed;
        if (why != null) {
            throw new StoreException(ErrorClass.ABORTED, "the transaction cannot go on: " + why, null);
        }
    }

    /** What a handler does through its framework is not seen. A database that has ended the session meanwhile says so. */
    private boolean goesOn() {
        if (isOfDataSource()) {
            return false;
        }
        try {
            sql(dialect.texts().sql(LedgerStatement.IS_WRITABLE));
            return true;
        } catch (SQLException e) {
            noteLoss(e);
            return false;
        }
    }

    @Override
    public boolean hasTimedOut() {
        return timedOut;
    }

    private void sql(String sql) throws SQLException {
        try (Statement statement = PlainSettings.withoutLimit(connection.createStatement(), dialect)) {
            statement.execute(sql);
        }
        lastUse = System.nanoTime();
    }

    @Override
    public RuntimeException refused(String doing, SQLException e) {
        String text = Refusals.describe(doing, e);
        doomed = text;
        if (dialect.isConnectionLost(e) && System.nanoTime() - lastUse >= idleLimit.toNanos()) {
            timedOut = true;
            return new StoreException(
                    ErrorClass.ABORTED,
                    "the transaction was idle for longer than " + idleLimit.toMillis() + " ms: " + text,
                    ErrorsWithoutValues.of(e));
        }
        if (isWriting() && dialect.isDuplicateKey(e) && takenNumber.isSuspected(begunAt)) {
            return takenNumber.refusal(doing, e);
        }
        ErrorClass own = errors.classifyOwn(e);
        boolean isCancelled = isOwn() && dialect.isCancelled(e);
        return new StoreException(isCancelled ? cancelled(own) : own, text, ErrorsWithoutValues.of(e));
    }

    /** What it means that a savepoint is gone: the handler got the error of a lost lock, or somebody ended the transaction. */
    private RuntimeException savepointGone(String doing, SQLException e) {
        boolean wasSound = doomed == null;
        RuntimeException refusal = refused(doing, e);
        if (!dialect.isSavepointGone(e)) {
            return refusal;
        }
        return wasSound
                ? endedUnseen(e)
                : new StoreException(ErrorClass.RETRY_NOW, "the database rolled the transaction back: " + doing, e);
    }

    /**
     * Past the guard of its connection a handler may also have met a deadlock, and hidden it: then the database has rolled everything
     * back, so that the messages can run again. Behind a COMMIT they are duplicates.
     */
    private RuntimeException endedUnseen(SQLException e) {
        if (isOtherSession()) {
            lost();
            return new StoreException(
                    ErrorClass.ABORTED,
                    "the connection was lost, and the driver has put another one in its place: nothing is committed",
                    e);
        }
        return isOfDataSource() || isClaimCommitted(e)
                ? taken(e)
                : new StoreException(
                        ErrorClass.ABORTED,
                        "the transaction has ended before its commit: a handler met a deadlock through its framework, in a stored"
                                + " procedure, or behind another error of a JDBC batch, and has not said so, or ended the transaction by itself, with COMMIT or ROLLBACK in SQL",
                        e);
    }

    /** Drivers may do so by themselves, and a handler may have hidden the error. */
    private boolean isOtherSession() {
        String question = dialect.isSessionOther();
        if (question == null) {
            return false;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(question)) {
            return row.next() && row.getBoolean(1);
        } catch (SQLException e) {
            LOG.debug("a connection does not say whether it is another one", e);
            return false;
        }
    }

    private boolean isClaimCommitted(SQLException ended) {
        try {
            return isClaimInLedger();
        } catch (SQLException e) {
            ended.addSuppressed(e);
            return true;
        }
    }

    private boolean isClaimInLedger() throws SQLException {
        RegisteredConsumer consumer = claimant();
        MessageKey key = claimed();
        return consumer != null && key != null && PlainClaims.isThere(session(), consumer, key);
    }

    private boolean isUnmarked() throws SQLException {
        RegisteredConsumer consumer = claimant();
        MessageKey key = claimed();
        return consumer != null && key != null && PlainClaims.unmark(session(), consumer, key);
    }

    @Override
    public void calling() {
        requireSound();
    }

    /**
     * An error that costs locks costs the transaction, whether the handler reports it or not. A driver that goes on with a batch behind
     * an error may name further ones.
     */
    @Override
    public void called(@Nullable Throwable failure) {
        if (failure instanceof SQLException named) {
            SQLException lost = lostLock(named);
            if (lost != null) {
                doomed = Refusals.describe("a handler's statement", lost);
            }
        }
        lastUse = System.nanoTime();
    }

    /** The error of a lost lock among these, with their causes, of which some may form a cycle. */
    private @Nullable SQLException lostLock(SQLException named) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (SQLException each = named; each != null && !seen.contains(each); each = each.getNextException()) {
            for (Throwable cause = each; cause != null && seen.add(cause); cause = cause.getCause()) {
                if (cause instanceof SQLException e && dialect.classOf(e) == ErrorClass.RETRY_NOW) {
                    return e;
                }
            }
        }
        return null;
    }

    /**
     * Where a framework has committed, this is the first that is done behind it. An error that something hid within its commit may have
     * rolled everything back, and the COMMIT behind that succeeds with nothing.
     */
    @Override
    public void restore(boolean autoCommit) throws SQLException {
        try {
            if (committing && claimed() != null) {
                findOutcomeOrNote();
            }
            if (sessionInDoubt || isLost()) {
                restoreSession();
            }
        } finally {
            if (autoCommit) {
                settings.endWithAutoCommit();
            } else {
                settings.end();
            }
        }
    }

    private void findOutcome() throws SQLException {
        // Whoever read something behind the COMMIT has begun another transaction, where the connection does not commit
        // by itself.
        endImplicit();
        if (marked) {
            settings.writeOnce();
        }
        rolledBackAtCommit = !(marked ? isUnmarked() : isClaimInLedger());
        endImplicit();
    }

    private void findOutcomeOrNote() throws SQLException {
        try {
            findOutcome();
        } catch (SQLException | RuntimeException | Error e) {
            unknownBecause = e;
            throw e;
        }
    }

    private void endImplicit() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /**
     * A server that closes the connection on a statement that is too large says nothing else. So it is asked before for how
     * much it takes, where a message is large at all. A lost connection alone costs no message its bytes.
     */
    @Override
    public <T> void store(String doing, List<T> messages, Function<T, Message> message, Step step) {
        Message largest = messages.stream()
                .map(message)
                .max(Comparator.comparingLong(PacketProof::mostBytes))
                .orElse(null);
        if (largest == null || PacketProof.mostBytes(largest) < LARGE) {
            change(doing, messages, step);
            return;
        }
        long limit = read("how large a statement may be", () -> dialect.largestStatement(connection));
        try {
            change(doing, messages, step);
        } catch (StoreException e) {
            if (e.errorClass() != ErrorClass.UNAVAILABLE || !isLost() || !isTooLarge(largest, limit)) {
                throw e;
            }
            throw new StoreException(
                    ErrorClass.PERMANENT,
                    "the connection is lost with a message of " + PacketProof.leastBytes(largest)
                            + " bytes, of which a driver may send twice as many, and a statement may have " + limit
                            + ": raise max_allowed_packet, or set a payload limit. " + e.getMessage(),
                    e);
        }
    }

    /** The lost connection goes back first: the pool may have only this one. */
    private boolean isTooLarge(Message message, long limit) {
        Connections.abort(connection);
        try {
            connection.close();
        } catch (SQLException e) {
            noteLoss(e);
        }
        return proof.isTooLarge(message, limit);
    }

    @Override
    public void used() throws SQLException {
        lastUse = System.nanoTime();
        if (number == null) {
            number = askNumber();
        }
    }

    private @Nullable String askNumber() throws SQLException {
        String query = dialect.transactionNumber();
        if (query == null) {
            return null;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    @Override
    protected Claim claimKeys(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout) {
        boolean fresh = !used;
        long asked = System.nanoTime();
        int starts = fresh ? FRESH_STARTS : 0;
        requireOpen();
        SessionStatement together =
                fresh && keys.size() == 1 && !sessionStatements.areRefused() ? dialect.beginWithClaim(idleLimit) : null;
        while (true) {
            try {
                Claim claim = together == null ? null : beginWithClaim(together, consumer, keys, hashes, timeout);
                if (claim != null) {
                    return claim;
                }
                begin();
                return withLockTimeout(timeout, () -> PlainClaims.claim(session(), consumer, keys, hashes));
            } catch (SQLException e) {
                boolean again = starts > 0
                        && !dialect.isLockTimeout(e)
                        && errors.classify(e) == ErrorClass.RETRY_NOW
                        && System.nanoTime() - asked < timeout.toNanos();
                if (!again) {
                    throw refusedWait(e, asked, keys.size() + " keys");
                }
                starts--;
                together = null;
                beginAnew();
            }
        }
    }

    /** Null where it was not claimed for a reason that is still to be asked for, in the transaction that has begun. */
    private @Nullable Claim beginWithClaim(
            SessionStatement what,
            RegisteredConsumer consumer,
            List<MessageKey> keys,
            List<PayloadHash> hashes,
            Duration timeout)
            throws SQLException {
        requireSound();
        used = true;
        PlainSession begun = PlainSession.withoutClock(connection, dialect);
        // Not executeQuery: a driver may refuse that for what is no SELECT.
        try (Statement statement = unboundStatement()) {
            String values = PlainClaims.valuesOfOne(dialect, consumer, keys, hashes, idleLimit, timeout);
            if (!sessionStatements.execute(connection, statement, what, values)) {
                return null;
            }
            Claim claim = PlainClaims.one(statement, keys);
            begun(begun);
            used();
            return claim;
        } catch (SQLException e) {
            begun(begun);
            stopWaiting(e);
            throw e;
        }
    }

    private void begun(PlainSession begun) {
        session = begun;
        number = null;
        settings.begun();
    }

    private void stopWaiting(SQLException failure) {
        if (dialect.isConnectionLost(failure)) {
            return;
        }
        try {
            settings.stopWaiting();
        } catch (SQLException e) {
            noteLoss(e);
            failure.addSuppressed(e);
        }
    }

    private void beginAnew() {
        try {
            startAnew();
        } catch (SQLException e) {
            noteLoss(e);
            throw refused("to begin a transaction anew", e);
        }
    }

    @Override
    public void lock(RegisteredConsumer consumer, List<Integer> workPartitions, Duration timeout) {
        requireOpen();
        begin();
        long asked = System.nanoTime();
        try {
            withLockTimeout(timeout, () -> {
                PlainWorkPartitions.lock(session(), consumer, workPartitions);
                return true;
            });
        } catch (SQLException e) {
            throw refusedWait(e, asked, workPartitions.size() + " work partitions");
        }
    }

    /** The timeout holds for this only, whether it succeeds or not. */
    private <T> T withLockTimeout(Duration timeout, Question<T> question) throws SQLException {
        settings.wait(timeout);
        T answer;
        try {
            answer = question.ask();
        } catch (SQLException e) {
            if (!dialect.isConnectionLost(e)) {
                settings.stopWaiting();
            }
            throw e;
        }
        settings.stopWaiting();
        used();
        return answer;
    }

    /** The database may have waited for longer than it was to: for whole seconds, and otherwise for tables than for rows. */
    private RuntimeException refusedWait(SQLException e, long asked, String what) {
        noteLoss(e);
        RuntimeException refusal = refused("to get " + what, e);
        return dialect.isLockTimeout(e)
                ? new ClaimBlockedException(
                        "waited " + Duration.ofNanos(System.nanoTime() - asked).toMillis()
                                + " ms in vain for another transaction to let go of one of " + what
                                + (dialect.hasDays() ? ", or for a day that is added or dropped" : ""),
                        e)
                : refusal;
    }

    @Override
    public AdminSession adminSession() {
        return PlainBoundary.session(session());
    }

    @Override
    public <T> T claimRow(RegisteredConsumer consumer, MessageKey key, Question<T> change) {
        requireOpen();
        begin();
        long asked = System.nanoTime();
        try {
            return withLockTimeout(Duration.ZERO, change);
        } catch (SQLException e) {
            throw refusedWait(e, asked, "the key of a request");
        }
    }

    @Override
    public List<Watermark> watermarks(RegisteredConsumer consumer, Collection<LogPartition> partitions) {
        return read(
                "to read " + partitions.size() + " watermarks",
                () -> PlainWatermarks.find(session(), consumer, partitions));
    }

    @Override
    public void advance(RegisteredConsumer consumer, List<Advance> advances) {
        run(
                "to advance " + advances.size() + " watermarks",
                () -> PlainWatermarks.advance(session(), consumer, advances));
    }

    @Override
    public boolean enter(RegisteredConsumer consumer, int workPartition) {
        return read(
                "to enter work partition " + workPartition,
                () -> PlainWorkPartitions.enter(session(), consumer, workPartition));
    }

    /**
     * With a lock timeout of its own, because of the entries that deleted rows leave in an index until they are purged: an insert
     * that meets such an entry of its own key also locks the next one, which may be of another consumer.
     */
    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return read(
                "to reopen " + keys.size() + " messages",
                () -> withLockTimeout(ShortTransactions.LOCK_TIMEOUT, () -> rows().reopen(consumer, keys)));
    }

    /** A deferred write that failed may have been one of a batch of which others succeeded. */
    @Override
    public void flush() {
        if (!hasDeferred()) {
            return;
        }
        requireSound();
        try {
            super.flush();
            lastUse = System.nanoTime();
        } catch (Throwable e) {
            doomed = String.valueOf(e.getMessage());
            throw e;
        }
    }

    /** What is deferred goes first: a rollback to the savepoint must not take it along. */
    @Override
    public void savepoint() {
        requireOpen();
        flush();
        begin();
        try {
            if (savepointSet) {
                sql("RELEASE SAVEPOINT " + SAVEPOINT);
            }
            sql("SAVEPOINT " + SAVEPOINT);
            savepointSet = true;
            markedBehindSavepoint = false;
        } catch (SQLException e) {
            noteLoss(e);
            throw savepointGone("a savepoint", e);
        }
    }

    @Override
    public void rollbackToSavepoint() {
        discardDeferred();
        requireOpen();
        if (isLost()) {
            requireSound();
        }
        try {
            sql("ROLLBACK TO SAVEPOINT " + SAVEPOINT);
            doomed = null;
            timedOut = false;
            forgetErrors();
            forgetMark();
            clearFramework();
        } catch (SQLException e) {
            noteLoss(e);
            throw savepointGone("a rollback to the savepoint", e);
        }
    }

    private void forgetMark() {
        RegisteredConsumer consumer = claimant();
        if (consumer != null && marked && markedBehindSavepoint) {
            noteKey(consumer, null);
            marked = false;
        }
    }

    /** These databases check each constraint at its statement. */
    @Override
    public void checkConstraints() {
        requireOpen();
        requireSound();
    }

    @Override
    public void commit() {
        flush();
        requireOpen();
        requireSound();
        if (session == null) {
            commitProven();
            return;
        }
        if (sessionInDoubt) {
            putBackSession();
        }
        RegisteredConsumer consumer = claimant();
        if (consumer != null) {
            mark(consumer);
        }
        SessionStatement together =
                isOfDataSource() && !sessionStatements.areRefused() ? dialect.proveAndCommit() : null;
        if (together != null && proveAndCommit(together)) {
            return;
        }
        prove();
        commitProven();
    }

    private void commitProven() {
        try {
            committing = true;
            commitOwn();
            ended();
            Throwable failedLook = unknownBecause;
            if (failedLook != null) {
                String why = "the framework has committed, and the ledger could not be asked whether that held";
                throw outcomeUnknown(why, new SQLException(why, failedLook));
            }
            if (rolledBackAtCommit) {
                throw new StoreException(
                        ErrorClass.ABORTED,
                        "nothing is committed: within the commit a callback of the framework met a deadlock and has not said so,"
                                + " or ended the transaction by itself",
                        null);
            }
        } catch (SQLException e) {
            throw isLostAtCommit(e) ? lostAtCommit(e) : refusedCommit(e);
        }
    }

    /**
     * A connection of which it is known that it is lost makes no statement: then nothing of the COMMIT was sent. False where the
     * session refuses the two as one.
     */
    private boolean proveAndCommit(SessionStatement what) {
        try (Statement statement = commitStatement()) {
            if (!sessionStatements.execute(connection, statement, what, "")) {
                return false;
            }
            ended();
            return true;
        } catch (SQLException e) {
            throw isLostAtCommit(e) ? lostAtCommit(e) : refusedTogether(e);
        }
    }

    private Statement unboundStatement() throws SQLException {
        return PlainSettings.withoutLimit(StoreSchema.unbound(connection).createStatement(), dialect);
    }

    private Statement commitStatement() {
        try {
            return unboundStatement();
        } catch (SQLException e) {
            noteLoss(e);
            throw refused("to commit", e);
        }
    }

    private boolean isLostAtCommit(SQLException e) {
        noteLoss(e);
        return dialect.isConnectionLost(e);
    }

    private OutcomeUnknownException lostAtCommit(SQLException e) {
        lost();
        return outcomeUnknown("the connection was lost while the transaction was being committed", e);
    }

    private static OutcomeUnknownException outcomeUnknown(String why, SQLException e) {
        return new OutcomeUnknownException(
                why + ": it may be committed or not. Hand the same messages in again; the ledger knows", e);
    }

    /** A statement that was cancelled may have come to the end of its COMMIT before. */
    private RuntimeException refusedTogether(SQLException e) {
        if (dialect.isSavepointGone(e)) {
            return savepointGone("to commit", e);
        }
        return switch (dialect.classOf(e)) {
            case RETRY_NOW, UNAVAILABLE -> refusedCommit(e);
            case MESSAGE, PERMANENT, ABORTED, UNKNOWN -> {
                lost();
                yield outcomeUnknown("the commit was interrupted: " + Refusals.describe("to commit", e), e);
            }
        };
    }

    /**
     * These databases look at no row any more when they commit. A COMMIT that was cancelled, or has waited in vain, met a
     * backup or a person, and so would that of any other message.
     */
    private RuntimeException refusedCommit(SQLException e) {
        RuntimeException refusal = refused("to commit", e);
        return dialect.isLockTimeout(e) || errors.classify(e) == ErrorClass.MESSAGE
                ? new StoreUnavailableException(String.valueOf(refusal.getMessage()), refusal)
                : refusal;
    }

    private void prove() {
        boolean another;
        try {
            for (String statement : dialect.verifyTransaction()) {
                sql(statement);
            }
            another = number != null && !number.equals(askNumber());
            for (String statement : dialect.beforeCommit()) {
                sql(statement);
            }
        } catch (SQLException e) {
            noteLoss(e);
            throw savepointGone("to commit", e);
        }
        if (another) {
            throw endedUnseen(new SQLException("this is another transaction than the one that began"));
        }
    }
}
