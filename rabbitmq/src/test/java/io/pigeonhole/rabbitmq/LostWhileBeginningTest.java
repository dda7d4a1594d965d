package io.pigeonhole.rabbitmq;

import static io.pigeonhole.rabbitmq.RabbitSourceBuilderTest.fake;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A broker answers {@code basic.consume} and delivers at once. Where nothing of that arrives, the delivery is counted all the same.
 */
@Tag("E1")
class LostWhileBeginningTest {
    private final AtomicBoolean isOpen = new AtomicBoolean();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile int waiting = 1;
    private volatile Supplier<Throwable> thrown = () -> new IllegalStateException("not set");
    private final Channel channel = fake(Channel.class, this::answer);
    private final RabbitSource source = RabbitSource.builder(
                    Inbox.builder("payments", InMemoryStore.create())
                            .handle("payment", PayloadDecoder.bytes(), (payload, context) -> {})
                            .build(),
                    new ConnectionFactory(),
                    "queue")
            .retryPause(Duration.ofMillis(1))
            .connectionOpener((factory, name) -> {
                isOpen.set(true);
                return fake(Connection.class, (method, values) -> switch (method) {
                    case "createChannel" -> channel;
                    case "isOpen" -> isOpen.get();
                    case "abort" -> {
                        isOpen.set(false);
                        yield null;
                    }
                    default -> null;
                });
            })
            .build();

    @AfterEach
    void close() {
        source.close();
    }

    private @Nullable Object answer(String method, Object[] values) throws IOException {
        if (method.equals("basicConsume")) {
            asked.incrementAndGet();
            Throwable failure = thrown.get();
            if (failure instanceof IOException e) {
                throw e;
            }
            if (failure instanceof Error e) {
                throw e;
            }
            throw (RuntimeException) failure;
        }
        return method.equals("queueDeclarePassive")
                ? new AMQP.Queue.DeclareOk.Builder()
                        .queue("queue")
                        .messageCount(waiting)
                        .build()
                : null;
    }

    private IOException connectionEnds(@Nullable Method reason) {
        isOpen.set(false);
        return new IOException(new ShutdownSignalException(true, false, reason, null));
    }

    private static ChannelContinuationTimeoutException unanswered() {
        return new ChannelContinuationTimeoutException(
                new TimeoutException("of the test"), null, 1, new AMQP.Basic.Consume.Builder().build());
    }

    private void assertGivenUpInTime() {
        source.start();
        await().until(() -> source.failure() != null);
        assertThat(asked.get()).isBetween(5, 12);
        assertThat(source.state()).isEqualTo(SourceState.FAILED);
        assertThat(source.failure()).hasMessageContaining("'queue'");
    }

    private void assertNotGivenUp() {
        source.start();
        await().until(() -> asked.get() > 8);
        assertThat(source.failure()).isNull();
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
    }

    @Test
    void queueWhoseConnectionsAreLostBeforeTheAnswerIsGivenUpBeforeItsMessageIsThrownAway() {
        thrown = () -> connectionEnds(null);
        assertGivenUpInTime();
    }

    @Test
    void soIsOneWhoseAnswerNeverComes() {
        thrown = LostWhileBeginningTest::unanswered;
        assertGivenUpInTime();
    }

    @Test
    void soIsOneWhereTheMemoryIsUsedUpMeanwhile() {
        thrown = () -> new OutOfMemoryError("of the test");
        source.start();
        await().until(() -> source.failure() != null);
        assertThat(asked.get()).isBetween(5, 12);
    }

    @Test
    void idleQueueIsNotGivenUp() {
        waiting = 0;
        thrown = () -> connectionEnds(null);
        assertNotGivenUp();
    }

    @Test
    void refusalOfTheBrokerIsNoDelivery() {
        thrown = () -> connectionEnds(new AMQP.Connection.Close.Builder()
                .replyCode(AMQP.INTERNAL_ERROR)
                .replyText("INTERNAL_ERROR")
                .build());
        assertNotGivenUp();
    }
}
