package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is logged of messages that were delivered very often. Here, because the module of the engine has no log to read. */
class SuspectWarningTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.pigeonhole.core.inbox");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", InMemoryStore.create())
            .crashLimit(3)
            .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
            .build();

    @BeforeEach
    void read() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void readNoMore() {
        logger.detachAppender(lines);
    }

    @Test
    void floodOfMessagesThatWereDeliveredOftenIsOneLineAMinute() {
        for (int i = 0; i < 20; i++) {
            Outcome outcome = inbox.process(Message.builder("queue")
                    .id("m" + i)
                    .type("payment")
                    .payload("x")
                    .deliveries(4)
                    .build());
            assertThat(outcome).isInstanceOf(Outcome.Received.class);
        }

        assertThat(lines.list.stream()
                        .map(ILoggingEvent::getFormattedMessage)
                        .filter(line -> line.contains("were delivered more than")))
                .singleElement(STRING)
                .startsWith(
                        "consumer 'payments': 1 messages were delivered more than 3 times, such as message m0 of type payment ");
    }
}
