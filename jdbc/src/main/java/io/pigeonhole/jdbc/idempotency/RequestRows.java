package io.pigeonhole.jdbc.idempotency;

import io.pigeonhole.core.idempotency.AbandonedRequest;
import io.pigeonhole.core.idempotency.Fingerprint;
import io.pigeonhole.core.idempotency.IdempotencyTransaction;
import io.pigeonhole.core.idempotency.IdempotentRequest;
import io.pigeonhole.core.idempotency.KnownRequest;
import io.pigeonhole.core.idempotency.LeasedRequest;
import io.pigeonhole.core.idempotency.RequestDetails;
import io.pigeonhole.core.idempotency.RequestMessage;
import io.pigeonhole.core.idempotency.StoredResponse;
import io.pigeonhole.core.message.Header;
import io.pigeonhole.core.message.Headers;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.sql.Call;
import io.pigeonhole.jdbc.sql.HeaderFormat;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of {@code inbox_idempotency} in a transaction. Used by one thread.
 *
 * @param session the transaction
 * @param consumer whose requests
 * @param now by the database's clock
 */
record RequestRows(AdminSession session, RegisteredConsumer consumer, Instant now) {
    private static final String FINISHED = "finished";
    private static final byte[] NONE = {};
    private static final Logger LOG = LoggerFactory.getLogger(RequestRows.class);

    /** A request that was found, and whether its retention is over. */
    record Found(KnownRequest request, boolean isOver) {}

    private Call call(IdempotencyStatement statement, MessageKey key) throws SQLException {
        return session.call(statement).consumer(consumer).key(key);
    }

    @Nullable
    Found find(MessageKey key) throws SQLException {
        try (Call call = call(IdempotencyStatement.FIND, key)) {
            return call.instant("now", now).first(RequestRows::found);
        }
    }

    private static Found found(ResultSet row) throws SQLException {
        StoredResponse response = FINISHED.equals(row.getString(2))
                ? new StoredResponse(row.getInt(3), headers(row.getBytes(4)), bytes(row.getBytes(5)))
                : null;
        return new Found(
                new KnownRequest(
                        Fingerprint.of(row.getBytes(1)),
                        response,
                        row.getBoolean(6),
                        row.getLong(7),
                        row.getBoolean(8)),
                row.getBoolean(9));
    }

    private static Headers headers(byte @Nullable [] stored) {
        return stored == null ? Headers.none() : HeaderFormat.read(stored);
    }

    private static byte[] bytes(byte @Nullable [] stored) {
        return stored == null ? NONE : stored;
    }

    /** False where a row with its key is there. */
    boolean insert(IdempotentRequest request, Duration retention, IdempotencyTransaction.@Nullable Lease lease)
            throws SQLException {
        try (Call call = session.call(IdempotencyStatement.INSERT)) {
            return session.operations().insertUnlessThere(bind(call, request, retention, lease));
        }
    }

    /** False where its retention is not over. */
    boolean replace(IdempotentRequest request, Duration retention, IdempotencyTransaction.@Nullable Lease lease)
            throws SQLException {
        try (Call call = session.call(IdempotencyStatement.REPLACE)) {
            return bind(call, request, retention, lease).change() == 1;
        }
    }

    private Call bind(
            Call call, IdempotentRequest request, Duration retention, IdempotencyTransaction.@Nullable Lease lease)
            throws SQLException {
        Message message = request.message();
        return call.consumer(consumer)
                .key(request.identity().storageKey())
                .text("operation", request.identity().operation())
                .text("idempotency_key", request.identity().key())
                .bytes("scope", request.identity().scope().hash())
                .bytes("fingerprint", request.fingerprint().toBytes())
                .instant("now", now)
                .instant("expires", now.plus(retention))
                .number("token", lease == null ? 0L : lease.token())
                .text("owner", lease == null ? null : lease.owner())
                .instant("until", lease == null ? null : now.plus(lease.duration()))
                .bytes("request_headers", lease == null ? null : HeaderFormat.write(message.headers()))
                .text("request_type", lease == null ? null : message.contentType())
                .bytes("request_body", lease == null ? null : message.payload());
    }

    boolean takeOver(MessageKey key, long token, IdempotencyTransaction.Lease lease) throws SQLException {
        try (Call call = call(IdempotencyStatement.TAKE_OVER, key)) {
            return call.number("token", token)
                            .number("new_token", lease.token())
                            .text("owner", lease.owner())
                            .instant("until", now.plus(lease.duration()))
                            .instant("now", now)
                            .change()
                    == 1;
        }
    }

    /** A request in steps; null where it is not there. */
    @Nullable
    LeasedRequest read(MessageKey key) throws SQLException {
        try (Call call = call(IdempotencyStatement.READ, key)) {
            return call.first(this::leased);
        }
    }

    private LeasedRequest leased(ResultSet row) throws SQLException {
        Message message = RequestMessage.of(
                consumer.name(),
                Objects.requireNonNull(row.getString(1)),
                Objects.requireNonNull(row.getString(2)),
                headers(row.getBytes(4)),
                row.getString(5),
                bytes(row.getBytes(6)));
        return new LeasedRequest(message, headers(row.getBytes(3)));
    }

    boolean hold(MessageKey key, long token, Duration duration) throws SQLException {
        try (Call call = call(IdempotencyStatement.HOLD, key)) {
            return call.number("token", token)
                            .instant("until", now.plus(duration))
                            .instant("now", now)
                            .change()
                    == 1;
        }
    }

    void storeSteps(MessageKey key, Headers steps) throws SQLException {
        try (Call call = call(IdempotencyStatement.STORE_STEPS, key)) {
            call.bytes("steps", HeaderFormat.write(steps)).changeLocked();
        }
    }

    void release(MessageKey key, @Nullable Duration pause) throws SQLException {
        try (Call call = call(IdempotencyStatement.RELEASE, key)) {
            call.instant("now", now)
                    .instant("resume", pause == null ? null : now.plus(pause))
                    .changeLocked();
        }
    }

    void forget(MessageKey key) throws SQLException {
        try (Call call = call(IdempotencyStatement.FORGET, key)) {
            call.changeLocked();
        }
    }

    void finish(MessageKey key, StoredResponse response, boolean bodyStored, Duration atLeast) throws SQLException {
        try (Call call = call(IdempotencyStatement.FINISH, key)) {
            call.instant("now", now)
                    .number("status", response.status())
                    .bytes("headers", HeaderFormat.write(response.headers()))
                    .bytes("body", response.body())
                    .flag("body_stored", bodyStored)
                    .instant("expires", now.plus(atLeast))
                    .changeLocked();
        }
    }

    int purge(Duration unfinished, int limit) throws SQLException {
        Instant longAgo = now.minus(unfinished);
        List<MessageKey> old;
        try (Call call = session.call(IdempotencyStatement.OLD)) {
            old = call.consumer(consumer)
                    .instant("now", now)
                    .instant("long_ago", longAgo)
                    .number("limit", limit)
                    .all(row -> session.rows().key(row, 1));
        }
        int deleted = 0;
        for (MessageKey key : old) {
            Boolean inSteps = lockOld(key, longAgo);
            if (Boolean.TRUE.equals(inSteps)) {
                LOG.warn("an unfinished request in steps is deleted, for which nobody came back: {}", key);
            }
            if (inSteps != null) {
                forget(key);
                deleted++;
            }
        }
        return deleted;
    }

    /** False where its retention is not over, and where somebody else has locked it, as a purge does: it waits for none. */
    boolean lockOld(MessageKey key) throws SQLException {
        return lockOld(key, now) != null;
    }

    /** Whether it is an unfinished one in steps; null where it is not old, or somebody else has locked it. */
    private @Nullable Boolean lockOld(MessageKey key, Instant longAgo) throws SQLException {
        try (Call call = call(IdempotencyStatement.LOCK_OLD, key)) {
            return call.instant("now", now).instant("long_ago", longAgo).first(row -> row.getBoolean(1));
        }
    }

    List<AbandonedRequest> abandoned(Collection<String> operations, Duration idle, int limit) throws SQLException {
        try (Call call = session.call(IdempotencyStatement.ABANDONED, operations.size())) {
            return call.consumer(consumer)
                    .texts("operations", operations)
                    .instant("now", now)
                    .instant("before", now.minus(idle))
                    .number("limit", limit)
                    .all(row -> new AbandonedRequest(
                            session.rows().key(row, 1), Objects.requireNonNull(row.getString(2)), row.getLong(3)));
        }
    }

    @Nullable
    RequestDetails show(MessageKey key) throws SQLException {
        try (Call call = call(IdempotencyStatement.SHOW, key)) {
            return call.first(this::details);
        }
    }

    private RequestDetails details(ResultSet row) throws SQLException {
        int status = row.getInt(6);
        boolean isRunning = row.wasNull();
        return new RequestDetails(
                Objects.requireNonNull(row.getString(1)),
                Objects.requireNonNull(row.getString(2)),
                Fingerprint.of(row.getBytes(3)),
                session.rows().instant(row, 4),
                session.rows().instant(row, 5),
                isRunning ? null : status,
                headers(row.getBytes(7)),
                row.getLong(8),
                row.getBoolean(9),
                headers(row.getBytes(10)).list().stream().map(Header::name).toList(),
                row.getString(11));
    }

    /** What is said of it in the audit; null where it is not there. */
    @Nullable
    LockedRequest lock(MessageKey key) throws SQLException {
        try (Call call = call(IdempotencyStatement.LOCK, key)) {
            return call.instant("now", now)
                    .first(row -> new LockedRequest(
                            row.getBoolean(1),
                            row.getString(2) + ", key " + row.getString(3) + ", status " + row.getString(4)));
        }
    }

    /** A request that is locked. */
    record LockedRequest(boolean isLeased, String description) {}
}
