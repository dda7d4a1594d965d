package io.pigeonhole.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A factory that gives the source the same consumer again, which is closed by then. */
class ConsumerThatIsClosedIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void threadsThatHaveNoWorkYetAreNotSaidToBeAtWork() {
        Inbox<InMemoryContext> inbox = Inbox.builder("test", InMemoryStore.create())
                .handle("text", PayloadDecoder.text(), (text, context) -> {})
                .build();
        MockConsumer<byte[], byte[]> same = new MockConsumer<>("earliest") {
            @Override
            public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                LockSupport.parkNanos(1_000_000);
                return super.poll(timeout);
            }
        };
        AtomicInteger made = new AtomicInteger();
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(DeliveryThreads.class);
        said.start();
        logger.addAppender(said);
        same.schedulePollTask(() -> {
            throw new IllegalStateException("an interceptor failed once");
        });
        try (KafkaSource source = KafkaSource.builder(inbox, Map.of("bootstrap.servers", "127.0.0.1:1"), "t")
                .consumerFactory(config -> {
                    made.incrementAndGet();
                    return same;
                })
                .build()) {
            source.start();
            await().atMost(PATIENCE).until(() -> made.get() == 3);
        } finally {
            logger.detachAppender(said);
        }
        assertThat(said.list).isEmpty();
    }
}
