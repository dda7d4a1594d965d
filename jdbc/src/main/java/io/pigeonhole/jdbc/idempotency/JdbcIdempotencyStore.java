package io.pigeonhole.jdbc.idempotency;

import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.idempotency.AbandonedRequest;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import io.pigeonhole.core.idempotency.IdempotencyTransaction;
import io.pigeonhole.core.idempotency.RequestDetails;
import io.pigeonhole.core.idempotency.RequestIdentity;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.Transactions;
import io.pigeonhole.jdbc.JdbcContext;
import io.pigeonhole.jdbc.admin.AuditedChange;
import io.pigeonhole.jdbc.sql.AdminSession;
import io.pigeonhole.jdbc.store.Database;
import io.pigeonhole.jdbc.transaction.JdbcTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Requests with idempotency keys in the database of an inbox. Safe for use by many threads. */
public final class JdbcIdempotencyStore implements IdempotencyStore<JdbcContext> {
    /** Nobody stores a message under its name. */
    private static final int WORK_PARTITIONS = 1;

    private final Database database;
    private final Transactions<JdbcContext> transactions;

    /**
     * Those of a database.
     *
     * @param database which has the table
     * @param transactions in which handlers run
     */
    public JdbcIdempotencyStore(Database database, Transactions<JdbcContext> transactions) {
        this.database = database;
        this.transactions = transactions;
    }

    @Override
    public RegisteredConsumer register(String name) {
        return database.register(new ConsumerRegistration(name, IdForm.OPAQUE, KeyOrder.NONE, WORK_PARTITIONS));
    }

    @Override
    public IdempotencyTransaction<JdbcContext> begin(Duration idleLimit) {
        return new JdbcIdempotencyTransaction((JdbcTransaction) transactions.begin(idleLimit));
    }

    @Override
    public ErrorClass classify(Throwable failure) {
        return database.classify(failure);
    }

    private static RequestRows rows(AdminSession session, RegisteredConsumer consumer) throws SQLException {
        return new RequestRows(session, consumer, session.now());
    }

    @Override
    public int purge(RegisteredConsumer consumer, Duration unfinished, int limit) {
        return database.admin()
                .change(
                        "to delete old requests",
                        session -> rows(session, consumer).purge(unfinished, limit))
                .orElse(0);
    }

    @Override
    public List<AbandonedRequest> abandoned(
            RegisteredConsumer consumer, Collection<String> operations, Duration idle, int limit) {
        return database.admin()
                .look("abandoned requests", session -> rows(session, consumer).abandoned(operations, idle, limit));
    }

    @Override
    public Optional<RequestDetails> find(RegisteredConsumer consumer, RequestIdentity identity) {
        return database.admin()
                .look(
                        "a request",
                        session -> Optional.ofNullable(rows(session, consumer).show(identity.storageKey())));
    }

    @Override
    public Answer forget(RegisteredConsumer consumer, RequestIdentity identity, Author by) {
        return database.admin()
                .change("to forget a request", session -> forget(session, consumer, identity.storageKey(), by))
                .orElseGet(() -> new Answer(
                        Answer.Kind.BUSY, "another transaction holds the request and did not end in time: ask again"));
    }

    private static Answer forget(AdminSession session, RegisteredConsumer consumer, MessageKey key, Author by)
            throws SQLException {
        RequestRows rows = rows(session, consumer);
        RequestRows.LockedRequest found = rows.lock(key);
        if (found == null) {
            return new Answer(
                    Answer.Kind.NOT_FOUND,
                    "nothing is stored of such a request; one that is being handled in one transaction is stored with its"
                            + " response");
        }
        if (found.isLeased()) {
            return new Answer(
                    Answer.Kind.LEASED,
                    "the request is in work: wait until its lease has run out. " + found.description());
        }
        rows.forget(key);
        new AuditedChange(session, consumer, by).audit(AdminAction.FORGET_REQUEST, key, found.description(), 1);
        return Answer.done("the request is forgotten; the next one with its key is handled as a new one");
    }
}
