package io.pigeonhole.testkit.broker;

import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import org.junit.jupiter.api.Test;

class InMemorySourceTest {
    private final InMemoryBroker broker = InMemoryBroker.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("test", InMemoryStore.create())
            .handle("note", PayloadDecoder.text(), (text, context) -> {})
            .build();

    /** Its thread may be waiting for a message, and nobody would ever acknowledge the one that it gets. */
    @Test
    void sourceThatIsClosedTakesNothingAnyMore() {
        for (int i = 0; i < 30; i++) {
            try (Source closed = broker.source(inbox, "q")) {
                closed.start();
            }
            broker.send(
                    "q",
                    Message.builder("q").id("id " + i).type("note").payload("x").build());
            try (Source next = broker.source(inbox, "q")) {
                next.start();
                await().until(() -> broker.unacknowledged("q") == 0);
            }
        }
    }
}
