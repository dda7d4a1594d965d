package io.pigeonhole.jdbc;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplaySteps;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction of the engine on one connection, as far as that is the same on every database: the connection's life, the
 * deferred writes, the contexts, and what is done about errors. Used by one thread.
 */
abstract class JdbcTransaction implements InboxTransaction<JdbcContext>, GuardedConnection.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcTransaction.class);

    final Connection connection;
    private final Errors errors;
    private final TransactionControl control;
    private final boolean autoCommit;
    private final DeferredWrites deferred;
    private final Set<String> harmless = new HashSet<>();
    private @Nullable Connection guarded;
    private boolean finished;
    private boolean broken;
    private boolean closed;

    /** Takes the connection over; {@link #close} gives it back as it was. */
    JdbcTransaction(Connection connection, Errors errors, TransactionControl control) throws SQLException {
        this.connection = connection;
        this.errors = errors;
        this.control = control;
        this.deferred = new DeferredWrites(errors);
        this.autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
    }

    /** On a new connection, which is given back where it takes no transaction. */
    static JdbcTransaction open(ConnectionSource connections, Opening opening) {
        Connection connection = Errand.open(connections);
        try {
            return opening.on(connection);
        } catch (SQLException e) {
            try {
                connection.close();
            } catch (SQLException closing) {
                e.addSuppressed(closing);
            }
            throw new StoreUnavailableException("the connection takes no transaction: " + e.getMessage(), e);
        }
    }

    /** Makes a transaction of a connection. */
    @FunctionalInterface
    interface Opening {
        JdbcTransaction on(Connection connection) throws SQLException;
    }

    /** Sends what a transaction begins with, unless that is done. */
    abstract void begin();

    /** What an error of a statement of this transaction is told as. */
    abstract RuntimeException refused(String doing, SQLException e);

    /** Puts back what was set on the connection, after the end of the transaction; nothing where that goes by itself. */
    void restore() throws SQLException {}

    /** Prepares statements about runs over the history, once it has begun. */
    abstract ReplayCalls replayCalls();

    @Override
    public ReplaySteps replay() {
        return new JdbcReplaySteps(this, replayCalls());
    }

    @Override
    public JdbcContext context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        return new TransactionContext(this, consumer.name(), key, message, attempt);
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

    boolean hasDeferred() {
        return !deferred.isEmpty();
    }

    void discardDeferred() {
        deferred.clear();
    }

    /** Not a failure of one message: what was committed with it cannot be taken back, and no replay will tell. */
    static ConfigurationException taken(SQLException e) {
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
            current = GuardedConnection.around(connection, this);
            guarded = current;
        }
        return current;
    }

    /** For contexts. */
    void defer(DeferredWrite write) {
        requireOpen();
        if (!harmless.contains(write.sql())) {
            control.refuse(write.sql());
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
        giveBack("restored", () -> {
            if (!broken) {
                restore();
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

    @Override
    public boolean isOpen() {
        return !finished && !closed;
    }

    @Override
    public void refuse(String sql) {
        control.refuse(sql);
    }

    @Override
    public void calling() {}

    @Override
    public void called(@Nullable Throwable failure) {}

    /** The transaction has come to its end: it is committed, or never began. */
    void ended() {
        finished = true;
    }

    /** The connection is of no use any more. */
    void lost() {
        broken = true;
    }

    boolean isLost() {
        return broken;
    }

    void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException("the transaction has ended; its contexts are of no use any more");
        }
    }

    void execute(String doing, String sql) {
        run(doing, () -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        });
    }

    void run(String doing, Step step) {
        requireOpen();
        begin();
        try {
            step.run();
        } catch (SQLException e) {
            noteLoss(e);
            throw refused(doing, e);
        }
    }

    <T> T ask(String doing, Question<T> question) {
        requireOpen();
        begin();
        try {
            return question.ask();
        } catch (SQLException e) {
            noteLoss(e);
            throw refused(doing, e);
        }
    }

    /** A pool may look at a connection's health only now and then; one that is known to be lost is not given back alive. */
    void noteLoss(SQLException e) {
        broken |= errors.endsConnection(e);
    }

    /** Something to do on the connection. */
    @FunctionalInterface
    interface Step {
        void run() throws SQLException;
    }

    /** Something to ask on the connection. */
    @FunctionalInterface
    interface Question<T> {
        T ask() throws SQLException;
    }
}
