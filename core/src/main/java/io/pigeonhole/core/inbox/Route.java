package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.BatchHandler;
import io.pigeonhole.core.handler.Delivery;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;

/** From a message type to its handler. A handler for one message is a handler for lists that takes them one by one. */
record Route<T, C extends HandlerContext>(
        PayloadDecoder<T> decoder, BatchHandler<T, C> handler, boolean takesLists, HandlerOptions options) {

    static <T, C extends HandlerContext> Route<T, C> single(
            PayloadDecoder<T> decoder, Handler<? super T, ? super C> handler, HandlerOptions options) {
        BatchHandler<T, C> oneByOne = deliveries -> {
            for (Delivery<T, C> delivery : deliveries) {
                handler.handle(delivery.payload(), delivery.context());
            }
        };
        return new Route<>(decoder, oneByOne, false, options);
    }

    static <T, C extends HandlerContext> Route<T, C> list(
            PayloadDecoder<T> decoder, BatchHandler<T, C> handler, HandlerOptions options) {
        return new Route<>(decoder, handler, true, options);
    }
}
