package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.core.node.NodeHealth;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.broker.InMemoryBroker;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A pause is not reported as an outage, and an outage says what the database said. Here, because core has no log to read. */
class PauseLogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.pigeonhole");
    private final Level level = logger.getLevel();
    private final Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            lines.add(line);
        }
    };

    private final InMemoryStore store = InMemoryStore.create();
    private final InMemoryBroker broker = InMemoryBroker.create();
    private final Queue<String> effects = new ConcurrentLinkedQueue<>();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .handle("text", PayloadDecoder.text(), (text, context) -> context.defer(() -> effects.add(text)))
            .build();
    private final Source source = broker.source(inbox, "queue");
    private final Node node = Node.builder(store)
            .source(source)
            .pollInterval(Duration.ofMillis(50))
            .build();

    @BeforeEach
    void read() {
        appender.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(appender);
    }

    @AfterEach
    void readNoMore() {
        store.available(true);
        node.close();
        logger.detachAppender(appender);
        logger.setLevel(level);
    }

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            broker.send(
                    "queue",
                    Message.builder("queue")
                            .id("" + i)
                            .type("text")
                            .orderingKey("key " + i)
                            .payload("x")
                            .build());
        }
    }

    private List<String> lines(Level least) {
        return lines.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(least))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private List<String> reasons() {
        return node.health() instanceof NodeHealth.Unhealthy unhealthy ? unhealthy.reasons() : List.of();
    }

    @Test
    void pauseIsLoggedOnceAsAPauseAndItsEndOnce() {
        store.paused("payments", true);
        node.start();
        send(20);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        assertThat(source.problems()).singleElement().asString().contains("consumer 'payments' is paused");
        assertThat(reasons()).singleElement().asString().contains("consumer 'payments' is paused", "Admin.resume");
        store.paused("payments", false);
        await().atMost(PATIENCE)
                .until(() -> effects.size() == 20 && node.health().isHealthy());
        assertThat(lines(Level.INFO))
                .filteredOn(line -> line.contains("is paused"))
                .hasSize(1);
        assertThat(lines(Level.INFO))
                .filteredOn(line -> line.contains("is not paused any more"))
                .hasSize(1);
        assertThat(lines(Level.INFO)).noneMatch(line -> line.contains("the database answers again"));
        assertThat(lines(Level.WARN)).isEmpty();
    }

    @Test
    void outageDuringAPauseIsWarnedOf() {
        store.paused("payments", true);
        node.start();
        send(1);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        store.available(false);
        await().atMost(PATIENCE)
                .until(() -> lines(Level.WARN).stream().anyMatch(line -> line.contains("nothing could be committed")));
        assertThat(source.problems()).singleElement().asString().contains("the database is away", "StoreUnavailable");
        store.available(true);
        store.paused("payments", false);
        await().atMost(PATIENCE)
                .until(() -> lines(Level.INFO).stream().anyMatch(line -> line.contains("the database answers again")));
    }

    @Test
    void healthSaysHowTheDatabaseFailedLast() {
        node.start();
        store.available(false);
        send(1);
        await().atMost(PATIENCE).until(() -> reasons().size() == 2);
        assertThat(reasons())
                .allSatisfy(reason -> assertThat(reason)
                        .contains("the database is away or refuses to commit: ", "StoreUnavailableException: "));
        store.available(true);
        await().atMost(PATIENCE).until(() -> node.health().isHealthy());
    }
}
