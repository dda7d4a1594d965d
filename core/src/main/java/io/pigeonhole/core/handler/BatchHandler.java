package io.pigeonhole.core.handler;

import java.util.List;

/**
 * The business logic for many messages of one type at once, for those who can write many effects in one statement. The list
 * holds new messages only, in the order of arrival, all in one transaction. When it fails, the transaction is rolled back
 * and the messages are handed in again as lists of one, so that only the one at fault is parked.
 *
 * @param <T> the type of the decoded payload
 * @param <C> the context that the store hands out
 */
@FunctionalInterface
public interface BatchHandler<T, C extends HandlerContext> {
    /**
     * Handles messages that stood behind one another.
     *
     * @param deliveries at least one, unmodifiable
     * @throws Exception to say that one of them failed
     */
    void handle(List<Delivery<T, C>> deliveries) throws Exception;
}
