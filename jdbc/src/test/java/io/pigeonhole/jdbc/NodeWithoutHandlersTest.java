package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.UnknownType;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Nodes that would do nothing. Here, because core has no log to read. */
class NodeWithoutHandlersTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.pigeonhole.core.node.NodeBuilder");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final InMemoryStore store = InMemoryStore.create();

    @BeforeEach
    void read() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void readNoMore() {
        logger.detachAppender(lines);
    }

    private InboxBuilder<InMemoryContext> inbox() {
        return Inbox.builder("payments", store);
    }

    private static Source sourceOf(InboxBuilder<InMemoryContext> inbox) {
        return InMemoryBroker.create().source(inbox.build(), "queue");
    }

    private List<String> warnings() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void sourceWhoseInboxHasNoHandlerIsRefused() {
        Source source = sourceOf(inbox());
        assertThatThrownBy(() -> Node.builder(store).source(source))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("'payments'")
                .hasMessageContaining("no handler");
    }

    @Test
    void sourceWhoseInboxHasAHandlerForEveryOtherTypeIsTaken() {
        Source source = sourceOf(inbox().handleOther(PayloadDecoder.text(), (text, context) -> {}));
        assertThatCode(() -> Node.builder(store).source(source).build()).doesNotThrowAnyException();
        assertThat(warnings()).isEmpty();
    }

    @Test
    void sourceWhoseInboxIgnoresEverythingIsWarnedOf() {
        Source source = sourceOf(inbox().unknownType(UnknownType.IGNORE));
        Node.builder(store).source(source).build();
        assertThat(warnings()).singleElement().asString().contains("'payments'", "ignores");
    }

    @Test
    void inboxThatOnlyTakesNotesNeedsNoHandler() {
        Node.builder(store).inbox(inbox().build()).build();
        assertThat(warnings()).isEmpty();
    }

    @Test
    void nodeWithNeitherSourceNorInboxIsWarnedOf() {
        Node.builder(store).build();
        assertThat(warnings()).singleElement().asString().contains("no source, no inbox and no relay");
    }
}
