package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.Node;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** A log that cannot be written, as with an appender that throws or without memory, ends nothing that watches over handlers. */
@Tag("B11")
class BrokenLogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final List<String> WATCHING =
            List.of("io.pigeonhole.core.inbox.RunningBatches", "io.pigeonhole.core.node.Watch");

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final AtomicInteger failed = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final TurboFilter breaking = new TurboFilter() {
        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                Logger logger,
                Level level,
                @Nullable String format,
                Object @Nullable [] params,
                @Nullable Throwable thrown) {
            if (format != null && WATCHING.contains(logger.getName())) {
                failed.incrementAndGet();
                throw new IllegalStateException("the log cannot be written");
            }
            return FilterReply.NEUTRAL;
        }
    };

    @AfterEach
    void mend() {
        context.getTurboFilterList().remove(breaking);
        end.countDown();
        executor.shutdownNow();
    }

    @Test
    void handlersThatTakeTooLongAreInterruptedWhileItFailsAndAfterwards() throws Exception {
        InMemoryStore store = InMemoryStore.create();
        Inbox<InMemoryContext> inbox = Inbox.builder("broken log", store)
                .handle("note", PayloadDecoder.text(), (payload, handler) -> end.await())
                .handlerTimeout(Duration.ofSeconds(1))
                .build();
        try (Node node = Node.builder(store).inbox(inbox).build()) {
            node.start();
            context.addTurboFilter(breaking);
            assertInterrupted(inbox, "1");
            await().atMost(PATIENCE).until(() -> failed.get() > 0);
            assertInterrupted(inbox, "2");
            context.getTurboFilterList().remove(breaking);
            assertInterrupted(inbox, "3");
        }
    }

    /** On a slow machine it may be taken for one that hangs, as it does not return from its interrupt within a second. */
    private void assertInterrupted(Inbox<InMemoryContext> inbox, String id) throws Exception {
        Future<Outcome> outcome = executor.submit(() -> inbox.process(
                Message.builder("notes").id(id).type("note").payload("x").build()));
        assertThat(outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).kind())
                .isIn(Outcome.Kind.PARKED, Outcome.Kind.RECEIVED);
    }
}
