package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.handler.HandlerContext;

/**
 * The business logic behind an idempotency key, in {@linkplain Steps steps}. It may begin several times for one request, and then finds
 * the results of the steps that are committed; so what it does outside of steps must be without effects.
 *
 * @param <C> the context that the store hands out
 */
@FunctionalInterface
public interface StepHandler<C extends HandlerContext> {
    /**
     * Handles a request.
     *
     * @param steps of the request
     * @return the response. With {@link Reply.Retention#ROLL_BACK} it is not stored, and the next request with the key goes on behind
     *     the last step that is committed; where none has begun, it is handled anew. With a status of 4xx nobody else goes on with it
     * @throws Exception to say that it failed: the next request with the key goes on behind the last step that is committed
     */
    Reply handle(Steps<C> steps) throws Exception;
}
