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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A quorum queue without a majority does not answer {@code basic.consume}, and keeps the request: with the majority each one that was
 * left becomes a consumer that is gone, gets the first message, and gives it back, which is counted as a delivery.
 */
@Tag("E1")
class UnansweredConsumeTest {
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile CompletableFuture<String> answer = new CompletableFuture<>();
    private volatile int answerTimeout;
    private final Channel channel = fake(Channel.class, this::answer);
    private final RabbitSource source = RabbitSource.builder(
                    Inbox.builder("payments", InMemoryStore.create())
                            .handle("payment", PayloadDecoder.bytes(), (payload, context) -> {})
                            .build(),
                    saysSoSoon(),
                    "queue")
            .retryPause(Duration.ofMillis(1))
            .connectionOpener((factory, name) -> {
                opened.incrementAndGet();
                answerTimeout = factory.getChannelRpcTimeout();
                CompletableFuture<String> ofThisOne = new CompletableFuture<>();
                answer = ofThisOne;
                return fake(Connection.class, (method, values) -> switch (method) {
                    case "createChannel" -> channel;
                    case "isOpen" -> !ofThisOne.isCompletedExceptionally();
                    case "abort" -> ofThisOne.completeExceptionally(end(true, null));
                    default -> null;
                });
            })
            .build();

    private static ConnectionFactory saysSoSoon() {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setChannelRpcTimeout(50);
        return factory;
    }

    private static ShutdownSignalException end(boolean byApplication, @Nullable Method reason) {
        return new ShutdownSignalException(true, byApplication, reason, null);
    }

    @AfterEach
    void close() {
        source.close();
    }

    /** As the client does: without an answer in time it forgets the request, and an interrupt does not end the waiting. */
    private @Nullable Object answer(String method, Object[] values) throws IOException, InterruptedException {
        if (!method.equals("basicConsume")) {
            return method.equals("queueDeclarePassive")
                    ? new AMQP.Queue.DeclareOk.Builder()
                            .queue("queue")
                            .messageCount(1)
                            .build()
                    : null;
        }
        asked.incrementAndGet();
        CompletableFuture<String> awaited = answer;
        try {
            return answerTimeout == 0 ? awaited.get() : awaited.get(answerTimeout, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new ChannelContinuationTimeoutException(e, null, 1, new AMQP.Basic.Consume.Builder().build());
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private void awaitThatItIsSaid() {
        await().untilAsserted(() -> assertThat(source.problems())
                .singleElement()
                .asString()
                .contains("'queue'", "does not answer basic.consume", "waits for the answer"));
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
    }

    @Test
    void queueIsAskedOnceHoweverLongTheAnswerTakesAndTheSourceRunsWhenItComes() {
        source.start();
        awaitThatItIsSaid();
        assertThat(asked).hasValue(1);
        answer.complete("tag");
        await().until(() -> source.state() == SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
        assertThat(asked).hasValue(1);
        assertThat(opened).hasValue(1);
    }

    @Test
    @Tag("E11")
    void closingDoesNotWaitForTheAnswer() {
        source.start();
        awaitThatItIsSaid();
        long begun = System.nanoTime();
        source.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        assertThat(source.state()).isEqualTo(SourceState.CLOSED);
        assertThat(answer).isCompletedExceptionally();
        assertThat(asked).hasValue(1);
    }

    @Test
    void queueIsAskedThreeTimesAtOnceWhereConnectionsEndWithoutTheAnswer() {
        assertAskedThreeTimes(end(false, null));
    }

    @Test
    void soItIsWhereTheBrokerGivesUpAfterLong() {
        assertAskedThreeTimes(end(
                false,
                new AMQP.Connection.Close.Builder()
                        .replyCode(AMQP.INTERNAL_ERROR)
                        .replyText("INTERNAL_ERROR")
                        .build()));
    }

    private void assertAskedThreeTimes(ShutdownSignalException end) {
        source.start();
        for (int ask = 1; ask <= 3; ask++) {
            int each = ask;
            await().until(() -> asked.get() == each);
            awaitThatItIsSaid();
            answer.completeExceptionally(end);
        }
        await().until(() -> opened.get() == 4);
        await().during(Duration.ofMillis(500)).until(() -> asked.get() == 3);
        assertThat(source.failure()).isNull();
    }
}
