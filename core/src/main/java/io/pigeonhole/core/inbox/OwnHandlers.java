package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.Delivery;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import java.util.List;

/**
 * The handlers of an inbox without the inbox: each message goes to the one of its type, as a list of one where it takes lists. What the
 * inbox ignores for its type, they ignore too.
 */
record OwnHandlers<C extends HandlerContext>(Routing<C> routing) implements Handler<Message, C> {
    @Override
    public void handle(Message message, C context) throws Exception {
        Route<?, C> route = routing.routeOf(message);
        if (route == null && routing.unknownType() == UnknownType.IGNORE) {
            return;
        }
        if (route == null) {
            throw new PermanentFailure("there is no handler for the type '" + routing.typeOf(message) + "'");
        }
        if (route.isExternal()) {
            throw new PermanentFailure("the handler for the type '" + routing.typeOf(message)
                    + "' works in another system, under a lease; it cannot run in a transaction");
        }
        run(route, message, context);
    }

    private static <T, C extends HandlerContext> void run(Route<T, C> route, Message message, C context)
            throws Exception {
        route.handler().handle(List.of(new Delivery<>(route.decode(message), context)));
    }
}
