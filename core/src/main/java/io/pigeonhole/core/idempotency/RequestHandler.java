package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.handler.HandlerContext;

/**
 * The business logic behind an idempotency key. It runs in the transaction that also holds the key and the response.
 *
 * @param <C> the context that the store hands out
 */
@FunctionalInterface
public interface RequestHandler<C extends HandlerContext> {
    /**
     * Handles a request.
     *
     * @param context the means to write; valid until this returns
     * @return the response, and what is to stay of it
     * @throws Exception to say that it failed: everything is rolled back, and the next request with the key is handled anew
     */
    Reply handle(C context) throws Exception;
}
