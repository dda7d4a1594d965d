package io.pigeonhole.jdbc.idempotency;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.idempotency.IdempotencyTransaction;
import io.pigeonhole.core.idempotency.IdempotentRequest;
import io.pigeonhole.core.idempotency.KnownRequest;
import io.pigeonhole.core.idempotency.LeasedRequest;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request in a transaction of the inbox, whose handler has the same guarded connection, deferred writes and proof at the commit as that
 * of a message. Used by one thread.
 */
final class JdbcIdempotencyTransaction implements IdempotencyTransaction<JdbcContext> {
    /** How often a row is looked for that comes or goes meanwhile. */
    private static final int MOST_LOOKS = 3;

    private final JdbcTransaction transaction;
    private @Nullable Instant readAt;
    private long readNanos;

    JdbcIdempotencyTransaction(JdbcTransaction transaction) {
        this.transaction = transaction;
    }

    /** The database's clock, which is asked once, and goes on as this JVM counts nanoseconds. */
    private Instant now() throws SQLException {
        Instant read = readAt;
        if (read == null) {
            read = transaction.adminSession().now();
            readNanos = System.nanoTime();
            readAt = read;
        }
        return read.plusNanos((System.nanoTime() - readNanos) / 1_000 * 1_000);
    }

    private RequestRows rows(RegisteredConsumer consumer) throws SQLException {
        return new RequestRows(transaction.adminSession(), consumer, now());
    }

    @Override
    public Optional<KnownRequest> claim(
            RegisteredConsumer consumer, IdempotentRequest request, Duration retention, @Nullable Lease lease) {
        MessageKey key = request.identity().storageKey();
        boolean wasOver = false;
        for (int i = 0; i < MOST_LOOKS; i++) {
            RequestRows.Found found = find(consumer, key);
            if (found != null && !found.isOver()) {
                return Optional.of(found.request());
            }
            if (found != null && wasOver) {
                throw new ClaimBlockedException(
                        "another transaction is at the row of a request whose retention is over", null);
            }
            wasOver = found != null;
            boolean claimed = found == null
                    ? transaction.claimRow(consumer, key, () -> rows(consumer).insert(request, retention, lease))
                    : lockOld(consumer, key)
                            && transaction.claimRow(
                                    consumer, key, () -> rows(consumer).replace(request, retention, lease));
            if (claimed) {
                return Optional.empty();
            }
        }
        throw new StoreException(
                ErrorClass.RETRY_NOW, "the row of a request came and went each time that it was looked for", null);
    }

    private RequestRows.@Nullable Found find(RegisteredConsumer consumer, MessageKey key) {
        return transaction
                .read(
                        "to find a request",
                        () -> Optional.ofNullable(rows(consumer).find(key)))
                .orElse(null);
    }

    private boolean lockOld(RegisteredConsumer consumer, MessageKey key) {
        return transaction.read(
                "to lock a request whose retention is over",
                () -> rows(consumer).lockOld(key));
    }

    @Override
    public Optional<LeasedRequest> takeOver(RegisteredConsumer consumer, MessageKey key, long token, Lease lease) {
        boolean taken = transaction.claimRow(consumer, key, () -> rows(consumer).takeOver(key, token, lease));
        // Read behind the change: what whoever had the lease has committed until then is seen, and nothing can come any
        // more.
        return taken
                ? transaction.read(
                        "to read a request",
                        () -> Optional.ofNullable(rows(consumer).read(key)))
                : Optional.empty();
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, MessageKey key, long token, Duration duration) {
        return transaction.claimRow(consumer, key, () -> rows(consumer).hold(key, token, duration));
    }

    @Override
    public JdbcContext context(RegisteredConsumer consumer, MessageKey key, Message message) {
        return transaction.context(consumer, key, message, 1);
    }

    @Override
    public void endHandler() {
        transaction.endContexts();
        transaction.handlerReturned();
        transaction.flush();
    }

    @Override
    public void savepoint() {
        transaction.savepoint();
    }

    @Override
    public void undoHandler() {
        try {
            transaction.endContexts();
        } catch (StoreException | IllegalStateException e) {
            if (transaction.hasLostConnection()) {
                throw e;
            }
            // What it says of the handler goes with the handler's work.
        }
        transaction.rollbackToSavepoint();
    }

    @Override
    public void storeSteps(RegisteredConsumer consumer, MessageKey key, Headers steps) {
        change("to store the steps of a request", () -> rows(consumer).storeSteps(key, steps));
    }

    @Override
    public void release(RegisteredConsumer consumer, MessageKey key, @Nullable Duration pause) {
        change("to let go of a request", () -> rows(consumer).release(key, pause));
    }

    @Override
    public void forget(RegisteredConsumer consumer, MessageKey key) {
        change("to forget a request", () -> rows(consumer).forget(key));
    }

    @Override
    public void finish(
            RegisteredConsumer consumer,
            MessageKey key,
            StoredResponse response,
            boolean bodyStored,
            Duration atLeast) {
        change("to store a response", () -> rows(consumer).finish(key, response, bodyStored, atLeast));
    }

    /** A statement that comes back with nothing. */
    @FunctionalInterface
    private interface Change {
        void run() throws SQLException;
    }

    private void change(String doing, Change change) {
        transaction.read(doing, () -> {
            change.run();
            return true;
        });
    }

    @Override
    public void commit() {
        transaction.commit();
    }

    @Override
    public void close() {
        transaction.close();
    }
}
