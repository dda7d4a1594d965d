package io.pigeonhole.core.handler;

/**
 * One of the messages that a {@link BatchHandler} is handed.
 *
 * @param payload the decoded payload
 * @param context the message and the means to write on its behalf
 * @param <T> the type of the decoded payload
 * @param <C> the context that the store hands out
 */
public record Delivery<T, C extends HandlerContext>(T payload, C context) {}
