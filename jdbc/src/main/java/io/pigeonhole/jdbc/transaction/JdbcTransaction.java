package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.NoConnectionException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Appended;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplaySteps;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.OwnTransaction;
import io.pigeonhole.jdbc.dialect.TransactionControl;
import io.pigeonhole.jdbc.outbox.Appends;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Errors;
import io.pigeonhole.jdbc.sql.ReplayCalls;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What the engine does in a transaction, each operation once for all databases. The rows are those of {@link RowOperations}; a
 * database says besides how a transaction begins, waits for others, goes back to a savepoint and commits.
 *
 * <p>The limit that handlers have for a statement also holds for what is read and written here, until it cancels one of these
 * statements: see {@link LongWrites}.
 */
public abstract class JdbcTransaction extends HandlerTransaction implements InboxTransaction<JdbcContext> {
    private final LongWrites longWrites;

    /** How many messages are being written by the statement under way. */
    private int writing;

    /** Whether something is being read. */
    private boolean reading;

    /** Whether the handlers' limit is lifted for that. */
    private boolean unlimited;

    /** Takes a transaction over that has begun; {@link #close} gives its connection back as it was. */
    protected JdbcTransaction(
            OwnTransaction own,
            Connection connection,
            Errors errors,
            TransactionControl control,
            LongWrites longWrites) {
        super(own, connection, errors, control);
        this.longWrites = longWrites;
    }

    /**
     * Begins one. What is thrown for a connection that takes no transaction says that the database is away: a pool, and a framework,
     * have exceptions of their own for that.
     */
    public static JdbcTransaction open(
            TransactionSource transactions, Acceptance acceptance, Appends appends, Opening opening) {
        OwnTransaction own = transactions.begin();
        try {
            requireTransaction(own);
            JdbcTransaction begun = opening.on(own, transactions.bound(own));
            begun.appendBy(appends);
            begun.bindToThread(acceptance);
            return begun;
        } catch (Throwable e) {
            own.discard();
            own.close();
            throw e;
        }
    }

    /** One of a data source is set for a transaction here. */
    private static void requireTransaction(OwnTransaction own) {
        if (own instanceof DataSourceTransaction) {
            return;
        }
        try {
            if (own.connection().getAutoCommit()) {
                throw new ConfigurationException(
                        "the framework began a transaction on a connection with auto-commit on, which"
                                + " would commit each statement by itself: JdbcTransactions.begin has to turn it off");
            }
        } catch (SQLException e) {
            throw new NoConnectionException(
                    "the framework's connection does not say whether it is in a transaction: "
                            + FailureText.messageOf(e),
                    e);
        }
    }

    /** Makes the engine's of a transaction that has begun. */
    @FunctionalInterface
    public interface Opening {
        JdbcTransaction on(OwnTransaction own, Connection connection);
    }

    /** The rows of the inbox, for as long as the transaction lasts. */
    protected abstract RowOperations rows();

    @Override
    public final Claim claim(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout) {
        Claim claim = claimKeys(consumer, keys, hashes, timeout);
        noteClaimed(consumer, claim);
        return claim;
    }

    /** As {@link #claim}. */
    protected abstract Claim claimKeys(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout);

    /** Prepares statements about runs over the history, once it has begun. */
    protected abstract ReplayCalls replayCalls();

    /** For statements about rows that are not the inbox's; to be used in {@link #read}, which begins the transaction. */
    public abstract AdminSession adminSession();

    /**
     * Changes a row that other transactions may be about to insert, or have inserted, under the same key. Waits for none of them.
     *
     * @throws io.pigeonhole.core.failure.ClaimBlockedException if one is open: this one must then be rolled back
     */
    public abstract <T> T claimRow(RegisteredConsumer consumer, MessageKey key, Question<T> change);

    /** Lifts the limit that handlers have for a statement. */
    public abstract void liftHandlersLimit() throws SQLException;

    /** Sets it again. */
    public abstract void setHandlersLimit() throws SQLException;

    /** Whether the transaction goes on after this error, so that the limit has to be set again. */
    protected abstract boolean goesOnAfter(SQLException failure);

    @Override
    public ReplaySteps replay() {
        return new JdbcReplaySteps(this, replayCalls());
    }

    @Override
    public Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) {
        return read("a look-up of " + keys.size() + " keys", () -> rows().known(consumer, keys));
    }

    @Override
    public Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) {
        return read("a comparison of " + hashes.size() + " payloads", () -> rows().conflicting(consumer, hashes));
    }

    @Override
    public void park(RegisteredConsumer consumer, List<ParkedMessage> messages) {
        store("to park", messages, ParkedMessage::message, () -> rows().park(consumer, messages));
    }

    @Override
    public void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters) {
        store("to dead-letter", letters, DeadLetter::message, () -> rows().deadLetter(consumer, letters));
    }

    @Override
    public void record(RegisteredConsumer consumer, List<FinishedMessage> messages) {
        store("to record", messages, FinishedMessage::message, () -> rows().record(consumer, messages));
    }

    @Override
    public void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) {
        store("to receive", messages, ReceivedMessage::message, () -> rows().receive(consumer, messages));
    }

    @Override
    public Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) {
        return read("to find which of " + keys.size() + " keys are blocked", () -> rows().blocked(consumer, keys));
    }

    @Override
    public List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes) {
        return read(
                "to take from work partition " + workPartition,
                () -> rows().take(consumer, workPartition, limit, bytes));
    }

    @Override
    public Appended appended(
            RegisteredConsumer consumer, String destination, int workPartition, int limit, long bytes) {
        return read(
                "to read messages to send to " + destination,
                () -> rows().appended(consumer, destination, workPartition, limit, bytes));
    }

    @Override
    public void removeAppended(String destination, int workPartition, List<Long> positions) {
        change("to delete published", positions, () -> rows().removeAppended(destination, workPartition, positions));
    }

    @Override
    public List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) {
        return read("to take " + ids.size() + " messages again", () -> rows().retake(consumer, ids));
    }

    @Override
    public void postpone(RegisteredConsumer consumer, List<PostponedItem> items) {
        change("to postpone", items, () -> rows().postpone(consumer, items));
    }

    @Override
    public void requireLease(RegisteredConsumer consumer, List<WorkItem> items) {
        change("to mark for a lease", items, () -> rows().requireLease(consumer, items));
    }

    @Override
    public void finish(RegisteredConsumer consumer, List<WorkItem> items) {
        change("to finish", items, () -> rows().finish(consumer, items));
    }

    @Override
    public List<WorkItem> lease(
            RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration) {
        return read(
                "to lease from work partition " + workPartition,
                () -> rows().lease(consumer, workPartition, limit, owner, duration));
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, WorkItem item) {
        return read("to hold a message", () -> rows().hold(consumer, item));
    }

    @Override
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) {
        return read("to take expired leases", () -> rows().takeExpired(consumer, limit, bytes));
    }

    @Override
    public Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return read("to count " + keys.size() + " messages again", () -> rows().seenAgain(consumer, keys));
    }

    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return read("to reopen " + keys.size() + " messages", () -> rows().reopen(consumer, keys));
    }

    /** Whether a statement of ours is under way for which the handlers' limit holds, or was lifted. */
    protected boolean isOwn() {
        return writing > 0 || reading;
    }

    protected boolean isWriting() {
        return writing > 0;
    }

    /** Whether our own limits hold for what is being written. */
    protected boolean isWritingUnlimited() {
        return writing > 0 && unlimited;
    }

    /** What it means that a statement of ours was cancelled. */
    protected ErrorClass cancelled(ErrorClass own) {
        return longWrites.cancelled(unlimited, writing, own);
    }

    /** Something is read, or rows are taken. */
    public <T> T read(String doing, Question<T> question) {
        reading = true;
        unlimited = longWrites.areExpected();
        try {
            return ask(doing, unlimited ? () -> withoutHandlersLimit(question) : question);
        } finally {
            reading = false;
        }
    }

    /** Messages are written, with what they hold. */
    protected <T> void store(String doing, List<T> messages, Function<T, Message> message, Step step) {
        change(doing, messages, step);
    }

    /** Something is written about messages. */
    protected final void change(String doing, List<?> messages, Step step) {
        if (messages.isEmpty()) {
            return;
        }
        writing = messages.size();
        unlimited = longWrites.areExpected();
        Question<Boolean> question = () -> {
            step.run();
            return true;
        };
        try {
            ask(
                    doing + " " + messages.size() + " messages",
                    unlimited ? () -> withoutHandlersLimit(question) : question);
        } finally {
            writing = 0;
        }
    }

    private <T> T withoutHandlersLimit(Question<T> question) throws SQLException {
        liftHandlersLimit();
        T answer;
        try {
            answer = question.ask();
        } catch (SQLException e) {
            if (goesOnAfter(e)) {
                setHandlersLimit();
            }
            throw e;
        }
        setHandlersLimit();
        return answer;
    }
}
