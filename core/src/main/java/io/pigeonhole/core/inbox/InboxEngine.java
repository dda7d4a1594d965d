package io.pigeonhole.core.inbox;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.List;

/** placeholder */
final class InboxEngine<C extends HandlerContext> {
    InboxEngine(InboxStore<C> store, RegisteredConsumer consumer, Routing<C> routing, EngineSettings settings, Announcer announcer) {
    }

    List<Outcome> process(List<Message> messages) {
        throw new UnsupportedOperationException("being written: " + messages.size());
    }
}
