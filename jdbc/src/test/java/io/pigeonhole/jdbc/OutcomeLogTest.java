package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.InboxBuilder;
import io.pigeonhole.core.inbox.InboxListener;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is logged of messages that did not fail: once in a while, how many there were. Here, because core has no log to read. */
class OutcomeLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.pigeonhole.core.inbox");
    private final Level level = logger.getLevel();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final InMemoryStore store = InMemoryStore.create();

    @BeforeEach
    void read() {
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
    }

    @AfterEach
    void readNoMore() {
        logger.detachAppender(lines);
        logger.setLevel(level);
    }

    private InboxBuilder<InMemoryContext> inbox(String name) {
        return Inbox.builder(name, store).handle("good", PayloadDecoder.text(), (payload, context) -> {});
    }

    private static Message message(String id) {
        return Message.builder("queue").id(id).type("good").payload("x").build();
    }

    private List<String> linesOf(String name) {
        return lines.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("'" + name + "'"))
                .toList();
    }

    @Test
    void outcomesAreCountedUntilTheyAreReported() {
        Inbox<InMemoryContext> inbox = inbox("counted").build();
        inbox.process(List.of(message("1"), message("2"), message("1")));
        inbox.process(message("2"));

        inbox.forNodes().reportOutcomes();
        inbox.forNodes().reportOutcomes();
        inbox.process(message("3"));
        inbox.forNodes().reportOutcomes();

        assertThat(linesOf("counted"))
                .filteredOn(line -> line.contains("outcomes"))
                .map(line -> line.replaceAll("\\d+ s:", "0 s:"))
                .containsExactly(
                        "consumer 'counted': outcomes of the last 0 s: 2 processed, 2 duplicate",
                        "consumer 'counted': outcomes of the last 0 s: 1 processed");
    }

    @Test
    void nodeThatIsClosedReportsWhatWasNotReportedYet() {
        Inbox<InMemoryContext> inbox = inbox("closed").build();
        Node node = Node.builder(store).inbox(inbox).start();
        inbox.process(message("1"));
        node.close();

        assertThat(linesOf("closed")).anyMatch(line -> line.endsWith(" 1 processed"));
    }

    @Test
    void listenerThatAlwaysFailsIsWarnedOfTenTimesAMinute() {
        Inbox<InMemoryContext> inbox = inbox("listened")
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String consumer, Message message, Outcome outcome) {
                        throw new IllegalStateException("it is broken");
                    }
                })
                .build();
        for (int i = 0; i < 50; i++) {
            inbox.process(message(String.valueOf(i)));
        }
        assertThat(linesOf("listened"))
                .filteredOn(line -> line.contains("failed"))
                .hasSize(10);
    }
}
