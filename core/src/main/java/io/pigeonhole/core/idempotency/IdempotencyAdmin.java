package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.Optional;

/** What people and their programs may look at and decide about stored requests. Safe for use by many threads. */
public final class IdempotencyAdmin {
    private final IdempotencyStore<? extends HandlerContext> store;
    private final RegisteredConsumer consumer;

    IdempotencyAdmin(IdempotencyStore<? extends HandlerContext> store, RegisteredConsumer consumer) {
        this.store = store;
        this.consumer = consumer;
    }

    /**
     * Looks for a request.
     *
     * @param identity which one
     * @return what is stored of it, without the body of its response; empty where there is none, or it is being handled in one
     *     transaction
     */
    public Optional<RequestDetails> find(RequestIdentity identity) {
        return store.find(consumer, identity);
    }

    /**
     * Forgets a request, so that the next one with its key is handled as a new one, with all its effects. Kept in the audit, in the
     * same transaction.
     *
     * @param identity which one
     * @param by who, and why
     * @return whether it was forgotten; a request in work is not
     */
    public Answer forget(RequestIdentity identity, Author by) {
        return store.forget(consumer, identity, by);
    }
}
