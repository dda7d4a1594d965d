package io.pigeonhole.rabbitmq;

import static io.pigeonhole.rabbitmq.RabbitSourceBuilderTest.fake;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Envelope;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker sends its first message together with its answer to {@code basic.consume}, and the client may hand it over earlier. */
@Tag("E11")
class ClosedBeforeTheAnswerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final CountDownLatch inWork = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicBoolean cut = new AtomicBoolean();
    private final List<Object> acknowledged = new CopyOnWriteArrayList<>();
    private final Channel channel = fake(Channel.class, this::answer);
    private final RabbitSource source = RabbitSource.builder(
                    Inbox.builder("payments", InMemoryStore.create())
                            .handle("payment", PayloadDecoder.bytes(), (payload, context) -> {
                                inWork.countDown();
                                finish.await();
                            })
                            .build(),
                    new ConnectionFactory(),
                    "queue")
            .connectionOpener((factory, name) -> fake(Connection.class, (method, values) -> switch (method) {
                case "createChannel" -> channel;
                case "isOpen" -> !cut.get();
                case "abort" -> {
                    cut.set(true);
                    answer.countDown();
                    yield null;
                }
                default -> null;
            }))
            .build();

    @AfterEach
    void close() {
        finish.countDown();
        answer.countDown();
        source.close();
    }

    private @Nullable Object answer(String method, Object[] values) throws IOException, InterruptedException {
        switch (method) {
            case "queueDeclarePassive" -> {
                return new AMQP.Queue.DeclareOk.Builder().queue("queue").build();
            }
            case "basicConsume" -> {
                String tag = (String) values[2];
                BasicProperties payment = new BasicProperties.Builder()
                        .messageId("one")
                        .type("payment")
                        .build();
                ((Consumer) values[3]).handleDelivery(tag, new Envelope(1, false, "", "queue"), payment, new byte[0]);
                answer.await();
                return tag;
            }
            case "basicAck" -> {
                if (cut.get()) {
                    throw new IOException("the connection is cut");
                }
                acknowledged.add(values[0]);
                return null;
            }
            default -> {
                return null;
            }
        }
    }

    @Test
    void messageThatCameBeforeTheAnswerIsWaitedForAndAcknowledgedWhenTheSourceIsClosed() throws InterruptedException {
        source.start();
        inWork.await();
        Thread closing = new Thread(source::close, "closing");
        closing.start();
        await().atMost(PATIENCE)
                .until(() ->
                        Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(closing.getState()));
        answer.countDown();
        finish.countDown();
        closing.join(PATIENCE.toMillis());
        assertThat(closing.isAlive()).isFalse();
        assertThat(acknowledged).containsExactly(1L);
    }
}
