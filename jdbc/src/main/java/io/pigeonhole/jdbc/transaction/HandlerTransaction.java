package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.Causes;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeferredWriteException;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.RolledBackException;
import io.pigeonhole.jdbc.dialect.SavepointStep;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.outbox.AppendWriter;
import io.pigeonhole.jdbc.outbox.Appends;
import io.pigeonhole.jdbc.sql.Connections;
import io.pigeonhole.jdbc.sql.Errors;
import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.StoreSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction on one connection as handlers see it: the connection's life, the contexts, the deferred writes, and what the
 * errors of both are reported as. What the engine does in it is in {@link JdbcTransaction}. Used by one thread.
 */
abstract class HandlerTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerTransaction.class);

    /** Of those that are remembered. */
    private static final int MOST_ERRORS = 100;

    private static final String COMMIT = ";\nCOMMIT";

    /** The transaction of each thread, where a framework binds it. */
    private static final ThreadLocal<@Nullable HandlerTransaction> CURRENT = new ThreadLocal<>();

    /** How it begins and ends. */
    private final OwnTransaction own;

    /** For statements of our own. */
    protected final Connection connection;

    /** For handlers, and for what they defer. */
    protected final Connection handlers;

    private final Errors errors;
    private final TransactionControl control;

    private final DeferredWrites deferred;
    private final HarmlessStatements harmless = new HarmlessStatements();
    private @Nullable HandlerCall call;
    private @Nullable RuntimeException failedFlush;
    private boolean deferredChanges;

    /** The handler has made what ends with it. */
    private boolean made;

    private boolean metError;
    private boolean finished;
    private boolean broken;
    private boolean closed;
    /** Why the connection is of no use any more, although the transaction has not ended; null where it is of use. */
    private volatile @Nullable String givenUp;

    /** Two threads may be about to give the connection back. */
    private final AtomicBoolean released = new AtomicBoolean();

    private final Set<Throwable> fullDisk = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean leftToThread;
    private @Nullable Appends appends;
    private Appends.@Nullable InTransaction appended;

    /** A key that it has claimed, where handlers have a framework: it is in the ledger once all is committed. */
    private @Nullable MessageKey claimed;

    private @Nullable RegisteredConsumer claimant;
    private Acceptance acceptance = (consumer, key) -> false;

    /** That of another store in whose handler this one began. */
    private @Nullable HandlerTransaction outer;

    /**
     * Takes a transaction over that has begun; {@link #close} gives its connection back as it was.
     *
     * @param own the transaction
     * @param connection its connection, as statements of ours use it
     */
    protected HandlerTransaction(OwnTransaction own, Connection connection, Errors errors, TransactionControl control) {
        this.own = own;
        this.connection = connection;
        this.handlers = StoreSchema.unbound(connection);
        this.errors = errors;
        this.control = control;
        this.deferred = new DeferredWrites(errors);
        own.beforeRelease(this::restore);
    }

    /** Whether the ledger has a key by now, asked on another connection. */
    @FunctionalInterface
    public interface Acceptance {
        boolean of(RegisteredConsumer consumer, MessageKey key);
    }

    /** Its thread can join it, until it is closed. */
    void bindToThread(Acceptance asked) {
        acceptance = asked;
        if (!isOfDataSource()) {
            outer = CURRENT.get();
            CURRENT.set(this);
        }
    }

    /** How messages to send are appended in it. */
    void appendBy(Appends toUse) {
        appends = toUse;
    }

    /** For contexts. */
    Outbox outbox(AppendWriter writer, @Nullable Message handled) {
        Appends.InTransaction current = appended;
        if (current == null) {
            current = Objects.requireNonNull(appends, "appends").in(own::afterCommit);
            appended = current;
        }
        return current.outbox(writer, handled);
    }

    private void unbindFromThread() {
        if (CURRENT.get() != this) {
            return;
        }
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    /** The handler that this thread is in, whose transaction has this connection; null where it is in none. */
    static @Nullable HandlerCall callOn(Connection connection) {
        HandlerTransaction transaction = CURRENT.get();
        while (transaction != null && transaction.own.connection() != connection) {
            transaction = transaction.outer;
        }
        return transaction == null ? null : transaction.call;
    }

    /** Sends what a transaction begins with, unless that is done. */
    protected abstract void begin();

    /** The exception for an error of a statement of this transaction. */
    protected abstract RuntimeException refused(String doing, SQLException e);

    /** The same for rows that were not there to be changed. */
    public StoreException refused(String doing, StoreException e) {
        return e;
    }

    /** Puts back what was set on the connection, after the end of the transaction; nothing where that goes by itself. */
    public void restore(boolean autoCommit) throws SQLException {}

    public JdbcContext context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        HandlerCall current = call;
        if (current == null) {
            current = new HandlerCall(this);
            call = current;
        }
        return new TransactionContext(current, consumer.name(), key, message, attempt);
    }

    public void endContexts() {
        HandlerCall current = call;
        call = null;
        made = false;
        if (current != null) {
            try {
                current.end();
            } finally {
                if (current.hadConnection() || !isOfDataSource()) {
                    handlerLeft(current.mayHaveChangedSession());
                }
            }
            requireNotCommitted();
        }
        // The handler may have met it and hidden it, or thrown something else.
        if (failedFlush instanceof StoreException failure) {
            throw forHandlers(failure);
        }
        if (current != null) {
            current.requireNoRefusedRollback();
        }
    }

    /**
     * A framework gives the connection back where a handler commits through it. Then the messages are in the ledger, and would be
     * duplicates.
     */
    private void requireNotCommitted() {
        RegisteredConsumer consumer = claimant;
        MessageKey key = claimed;
        if (consumer == null || key == null || !hasLostConnection()) {
            return;
        }
        lost();
        boolean committed;
        try {
            committed = acceptance.of(consumer, key);
        } catch (PigeonholeException e) {
            throw new StoreException(
                    ErrorClass.UNAVAILABLE,
                    "the connection is lost, and whether a handler has committed is not known",
                    e);
        }
        if (committed) {
            throw taken(new SQLException("the connection is closed, and what was claimed is in the ledger"));
        }
    }

    /** Something was claimed that is in the ledger once all is committed. */
    void noteClaimed(RegisteredConsumer consumer, Claim claim) {
        if (!isOfDataSource() && !claim.claimed().isEmpty()) {
            noteKey(consumer, claim.claimed().iterator().next());
        }
    }

    /** The same of a key, or that there is none any more. */
    protected void noteKey(RegisteredConsumer consumer, @Nullable MessageKey key) {
        claimant = consumer;
        claimed = key;
    }

    protected @Nullable MessageKey claimed() {
        return claimed;
    }

    protected @Nullable RegisteredConsumer claimant() {
        return claimant;
    }

    public void handlerReturned() {
        if (hasLostConnection()) {
            lost();
            boolean nothing = isOfDataSource() || claimed != null;
            throw new StoreException(
                    ErrorClass.ABORTED,
                    "the connection was lost, or closed by the handler, which has not said so: nothing "
                            + (nothing ? "" : "more ") + "of the transaction is committed",
                    null);
        }
        if (!isOfDataSource()) {
            flush();
        }
    }

    /** Drivers and pools answer this without a round trip. */
    public boolean hasLostConnection() {
        try {
            return !finished && handlers.isClosed();
        } catch (SQLException e) {
            LOG.debug("a connection does not say whether it is closed", e);
            return true;
        }
    }

    /** A handler may be about to change its session. */
    public void sessionChanging() {
        HandlerCall current = call;
        if (current != null) {
            current.changing();
        }
    }

    /** The same by SQL. */
    public void sessionChanging(String sql) throws SQLException {
        sessionChanging();
    }

    /** A handler is about to make what lasts as long as the transaction, where that is allowed, and is to end with the handler. */
    protected void makingForTransaction() throws SQLException {}

    /** The same by the time that a statement may take, where that holds for the connection. */
    public void queryTimeoutChanging() {}

    /** Whether SQL is there to change the session, and not only able to, as a procedure is. */
    protected abstract boolean setsSession(String sql);

    /** A handler that had the connection has ended, and may have changed the session. */
    protected abstract void handlerLeft(boolean sessionChanged);

    /**
     * What failed once goes on failing, until it is rolled back, whatever it failed with: what was deferred behind it is not
     * sent any more.
     */
    public void flush() {
        RuntimeException failure = failedFlush;
        if (failure != null) {
            throw failure;
        }
        flushFramework();
        if (deferred.isEmpty()) {
            return;
        }
        requireOpen();
        try {
            begin();
            deferred.flush(handlers);
        } catch (PigeonholeException e) {
            failedFlush = e;
            throw e;
        } catch (Throwable e) {
            failedFlush = new StoreException(
                    ErrorClass.ABORTED, "the deferred writes cannot be sent: " + FailureText.classOf(e), e);
            throw failedFlush;
        } finally {
            if (deferred.isHalfSent()) {
                giveUp();
            }
            if (deferredChanges) {
                deferredChanges = false;
                HandlerCall current = call;
                // One that has the connection sends what it deferred itself, and may rely on it until it ends.
                if (current == null || !current.hadConnection()) {
                    handlerLeft(true);
                }
            }
        }
    }

    /** What a framework holds back may be any message's, so that it is known whose it is only where messages run one by one. */
    private void flushFramework() {
        if (isOfDataSource()) {
            return;
        }
        requireOpen();
        try {
            own.flush();
        } catch (RuntimeException e) {
            failedFlush = new StoreException(
                    errors.classify(e),
                    "what a handler has written through its framework is refused: " + e.getMessage(),
                    e);
            throw failedFlush;
        }
    }

    /** Whether something may be waiting to be sent, or could not be sent. */
    protected boolean hasDeferred() {
        return !deferred.isEmpty() || failedFlush != null || !isOfDataSource();
    }

    /** Before a rollback to a savepoint. */
    protected void discardDeferred() {
        deferred.clear();
        failedFlush = null;
    }

    /** Behind a rollback to a savepoint, which a framework knows nothing of. */
    protected void clearFramework() {
        try {
            own.clear();
        } catch (RuntimeException e) {
            throw new StoreException(
                    ErrorClass.ABORTED, "a framework cannot clear what was rolled back: " + FailureText.classOf(e), e);
        }
    }

    /** Whether handlers have no other way to its connection than their context, and a COMMIT in SQL is all there is to its end. */
    protected boolean isOfDataSource() {
        return own instanceof DataSourceTransaction;
    }

    /** A statement that ends with COMMIT, without that where the end is not a COMMIT alone. */
    protected String withOwnCommit(String sql) {
        if (isOfDataSource()) {
            return sql;
        }
        if (!sql.endsWith(COMMIT)) {
            throw new IllegalStateException("a statement that is to commit ends otherwise");
        }
        return sql.substring(0, sql.length() - COMMIT.length());
    }

    /** What {@link #withOwnCommit} has left out. */
    protected void commitBehind() throws SQLException {
        if (!isOfDataSource()) {
            commitOwn();
        }
        ended();
    }

    /** Commits, and nothing else. */
    protected void commitOwn() throws SQLException {
        try {
            own.commit();
        } catch (RolledBackException e) {
            finished = true;
            throw new StoreException(
                    classOf(e), "the transaction is rolled back, and not committed: " + FailureText.messageOf(e), e);
        } catch (RuntimeException e) {
            // Thrown before the commit or behind it, and by anything: its causes need not be of this transaction.
            lost();
            throw new OutcomeUnknownException(
                    "a framework failed while the transaction was being committed: it may be committed or not. Hand the"
                            + " same messages in again; the ledger knows. "
                            + FailureText.describe(e),
                    e);
        }
    }

    /** Without an error of the database it is not known whose message is at fault. */
    private ErrorClass classOf(RolledBackException e) {
        for (Throwable cause : Causes.of(e)) {
            if (cause instanceof SQLException refusal) {
                return errors.classifyOwn(refusal);
            }
        }
        return ErrorClass.ABORTED;
    }

    /** Not a failure of one message: what was committed with it cannot be taken back, and no replay will find it. */
    protected static ConfigurationException taken(SQLException e) {
        return new ConfigurationException(
                "a handler ended the transaction by itself, with COMMIT or ROLLBACK in SQL or through its framework. What was written before is"
                        + " committed without the rest, or lost; nothing after it is kept. Take the statement out. Where it has none, a stored procedure that it calls has"
                        + " hidden a deadlock, or it has hidden one behind another error of a JDBC batch: then nothing is committed, the messages"
                        + " can be handed in again, and no procedure is to handle 1213 and no handler to hide a BatchUpdateException",
                e);
    }

    /** For contexts: the connection with what is deferred already sent. */
    protected Connection connectionForHandlers(HandlerCall from) {
        requireOpen();
        sendDeferred();
        begin();
        return from.connection(handlers);
    }

    private void sendDeferred() {
        try {
            flush();
        } catch (PigeonholeException e) {
            throw forHandlers(e);
        }
    }

    /**
     * A handler is about to do this with savepoints. A deferred write stands where it was deferred: before a savepoint that is
     * set afterwards, so that it is sent first, and behind every one that is gone back to, because all are set with nothing
     * deferred.
     */
    protected void beforeSavepoints(List<SavepointStep> steps) {
        if (SavepointStep.begin(steps, SavepointStep.Kind.SET)) {
            sendDeferred();
        }
    }

    /** It is done: what was deferred behind a savepoint goes with it, and what a framework held back or remembers. */
    protected void afterSavepoints(List<SavepointStep> steps) {
        if (SavepointStep.begin(steps, SavepointStep.Kind.BACK)) {
            deferred.clear();
            clearFramework();
        }
    }

    /**
     * A handler could not go back to a savepoint, and nobody knows whether the database went back before. The handler takes what it
     * wrote behind the savepoint for rolled back, and what was deferred there may neither be sent nor be dropped: so the
     * transaction has failed, also where the handler hides this.
     */
    protected void failedRollback(Throwable failure) {
        if (failedFlush == null) {
            ErrorClass errorClass = errors.classify(failure);
            boolean passing = errorClass == ErrorClass.RETRY_NOW || errorClass == ErrorClass.UNAVAILABLE;
            failedFlush = new StoreException(
                    passing ? errorClass : ErrorClass.ABORTED,
                    "a rollback to a savepoint failed; let the handler throw what it meets: "
                            + FailureText.classOf(failure),
                    failure);
        }
    }

    private static RuntimeException forHandlers(RuntimeException failure) {
        return failure instanceof StoreException e && !(e instanceof DeferredWriteException) ? nobodys(e) : failure;
    }

    /** It is not known whose write failed, and need not be one of the handler that meets the error. */
    private static StoreException nobodys(StoreException e) {
        return switch (e.errorClass()) {
            case RETRY_NOW, UNAVAILABLE, ABORTED -> e;
            case MESSAGE, PERMANENT, UNKNOWN ->
                new StoreException(ErrorClass.ABORTED, "a write failed that was deferred before: " + e.getMessage(), e);
        };
    }

    /** For contexts. */
    protected void defer(DeferredWrite write) {
        requireOpen();
        if (!harmless.contains(write.sql())) {
            TransactionControl.Effect effect = control.refuse(write.sql());
            if (effect == TransactionControl.Effect.SESSION) {
                if (setsSession(write.sql())) {
                    throw new IllegalStateException("a handler may not defer " + ErrorsWithoutValues.quoted(write.sql())
                            + ": it would hold for what other messages have deferred, which is sent together with it."
                            + " Execute it on context.connection(), with the writes that need it, or name the schema and"
                            + " the tenant in the deferred statement");
                }
                run("to find out what the session is", () -> sessionChanging(write.sql()));
                deferredChanges = true;
            } else if (effect == TransactionControl.Effect.TRANSACTION) {
                throw new IllegalStateException("a handler may not defer " + ErrorsWithoutValues.quoted(write.sql())
                        + ": what is made for the transaction ends with its handler. Execute it on context.connection(),"
                        + " with the writes that need it");
            } else if (effect == TransactionControl.Effect.NONE) {
                harmless.add(write.sql());
            }
            if (!control.savepoints(write.sql()).isEmpty()) {
                throw new IllegalStateException("a handler may not defer " + ErrorsWithoutValues.quoted(write.sql())
                        + ": deferred writes change places; set savepoints on the connection");
            }
        }
        deferred.add(write);
        if (made || !isOfDataSource()) {
            // It may read what is made, or nobody sees what goes through the framework next, which would overtake it.
            sendDeferred();
        }
    }

    public void close() {
        if (closed) {
            return;
        }
        endContextsAnyway();
        unbindFromThread();
        closed = true;
        deferred.clear();
        if (leftToThread) {
            return;
        }
        broken |= !finished && !broken && !Connections.succeeds("rolled back", own::rollback);
        release();
    }

    private void release() {
        if (released.getAndSet(true)) {
            return;
        }
        if (broken) {
            Connections.succeeds("given up", own::discard);
        }
        Connections.succeeds("closed", own::close);
    }

    private void endContextsAnyway() {
        try {
            endContexts();
        } catch (Throwable e) {
            LOG.debug("a handler left a thread behind that was using its connection", e);
        }
    }

    /**
     * The connection is of no use any more: another thread is in the middle of a call that does not end, and may hold the
     * driver's lock. So nobody waits for the connection to be closed.
     */
    public void giveUp() {
        givenUp = "a thread that a handler left behind is in the middle of a call on it";
        lost();
        leftToThread =
                onThread(isOfDataSource() ? this::release : () -> Connections.abort(connection)) && isOfDataSource();
    }

    /**
     * The connection of a driver that knows no abort, as that of H2, stays with the thread that hangs, and so does the place that a
     * framework's has in its pool: only that thread may close it.
     */
    public void abort() {
        givenUp = "the handler has not returned for so long that its transaction was ended";
        lost();
        onThread(() -> {
            Connections.abort(connection);
            if (isOfDataSource() && !Connections.isAlive(connection)) {
                release();
            }
        });
    }

    /** Nobody waits for a driver that may wait itself; false where there is no thread for it. */
    private static boolean onThread(Runnable end) {
        Thread thread = new Thread(end, "pigeonhole gives up a connection");
        thread.setDaemon(true);
        try {
            thread.start();
            return true;
        } catch (Throwable e) {
            LOG.warn(
                    "no thread could be started to end a connection that is given up: its transaction waits for it", e);
            return false;
        }
    }

    /** Whether it still goes on. */
    protected boolean isOpen() {
        return !finished && !closed;
    }

    /** Looks at SQL of a handler: refuses what ends the transaction, and notes what may change the session. */
    protected void refuse(String sql) throws SQLException {
        TransactionControl.Effect effect = control.refuse(sql);
        if (effect == TransactionControl.Effect.SESSION || effect == TransactionControl.Effect.TRANSACTION) {
            sessionChanging(sql);
        }
        if (effect == TransactionControl.Effect.TRANSACTION) {
            makingForTransaction();
            made = true;
        }
    }

    protected TransactionControl control() {
        return control;
    }

    /** A handler is about to call something on its connection. */
    public void calling() {}

    /** A handler's call came back, with the error or without one. */
    protected void called(@Nullable Throwable failure) {}

    /** The error that a handler gets for an error of its call. */
    public Throwable forHandler(Throwable failure) {
        return failure;
    }

    /** The transaction has come to its end: it is committed, or never began. */
    public void ended() {
        finished = true;
        if (own instanceof DataSourceTransaction onConnection) {
            onConnection.committed();
        }
    }

    /** The connection is of no use any more. */
    protected void lost() {
        broken = true;
    }

    protected boolean isLost() {
        return broken;
    }

    protected void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException("the transaction has ended; its contexts are of no use any more");
        }
        String why = givenUp;
        if (why != null) {
            throw new StoreException(ErrorClass.ABORTED, "the connection is given up: " + why, null);
        }
    }

    protected void run(String doing, Step step) {
        ask(doing, () -> {
            step.run();
            return true;
        });
    }

    protected <T> T ask(String doing, Question<T> question) {
        requireOpen();
        begin();
        try {
            T answer = question.ask();
            used();
            return answer;
        } catch (SQLException e) {
            noteLoss(e);
            throw refused(doing, e);
        } catch (StoreException e) {
            throw refused(doing, e);
        }
    }

    /** A statement of ours succeeded. */
    public void used() throws SQLException {}

    /** A pool may look at a connection's health only now and then; one that is known to be lost is not given back alive. */
    protected void noteLoss(SQLException e) {
        broken |= errors.endsConnection(e);
    }

    /** A handler met this on its connection; what it throws may be the error of one entry of a batch. */
    void metByHandler(Throwable failure) {
        metError |= failure instanceof SQLException;
        if (failure instanceof SQLException e && fullDisk.size() < MOST_ERRORS) {
            List<Throwable> all = StreamSupport.stream(e.spliterator(), false)
                    .limit(MOST_ERRORS)
                    .toList();
            if (all.stream().anyMatch(each -> each instanceof SQLException sql && errors.isFull(sql))) {
                fullDisk.addAll(all);
            }
        }
    }

    /** What is met through a framework's connection is not known. */
    public boolean hasMetError() {
        return metError;
    }

    /** What handlers have met behind the savepoint is over. */
    protected void forgetErrors() {
        metError = false;
    }

    /** A framework's connection is not guarded: what its handlers throw is taken for met there. */
    public boolean hasMetFullDisk(Throwable failure) {
        boolean ours = !isOfDataSource();
        for (Throwable cause : Causes.of(failure)) {
            ours |= cause instanceof StoreException;
            if (fullDisk.contains(cause) || (ours && cause instanceof SQLException e && errors.isFull(e))) {
                return true;
            }
        }
        return false;
    }

    /** Something to do on the connection. */
    @FunctionalInterface
    public interface Step {
        void run() throws SQLException;
    }

    /** Something to ask on the connection. */
    @FunctionalInterface
    public interface Question<T> {
        T ask() throws SQLException;
    }
}
