package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.BatchHandler;
import io.pigeonhole.core.handler.Delivery;
import io.pigeonhole.core.handler.ExternalHandler;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * From a message type to its handler. A handler for one message is a handler for lists that takes them one by one; an
 * external one has none in the transaction.
 */
record Route<T, C extends HandlerContext>(
        PayloadDecoder<T> decoder,
        BatchHandler<T, C> handler,
        boolean takesLists,
        @Nullable ExternalHandler<T, C> external,
        HandlerOptions options) {

    static <T, C extends HandlerContext> Route<T, C> single(
            PayloadDecoder<T> decoder, Handler<? super T, ? super C> handler, HandlerOptions options) {
        BatchHandler<T, C> oneByOne = deliveries -> {
            for (Delivery<T, C> delivery : deliveries) {
                handler.handle(delivery.payload(), delivery.context());
            }
        };
        return new Route<>(decoder, oneByOne, false, null, options);
    }

    static <T, C extends HandlerContext> Route<T, C> list(
            PayloadDecoder<T> decoder, BatchHandler<T, C> handler, HandlerOptions options) {
        return new Route<>(decoder, handler, true, null, options);
    }

    static <T, C extends HandlerContext> Route<T, C> external(
            PayloadDecoder<T> decoder, ExternalHandler<T, C> handler, HandlerOptions options) {
        BatchHandler<T, C> nowhere = deliveries -> {
            throw new IllegalStateException("an external handler runs under a lease, not in the transaction");
        };
        return new Route<>(decoder, nowhere, false, handler, options);
    }

    boolean isExternal() {
        return external != null;
    }

    T decode(Message message) throws Exception {
        return Objects.requireNonNull(decoder.decode(message), "the decoder returned null");
    }
}
