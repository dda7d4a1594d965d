package io.pigeonhole.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.testkit.memory.InMemoryContext;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the source does with any AMQP broker. */
abstract class RabbitSourceTests extends RabbitSourceTestBase {
    @Tag("full")
    @Test
    void hundredThousandMessagesLeaveNoUnacknowledgedRest() throws IOException {
        int count = 100_000;
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, count));
        long begun = System.nanoTime();
        RabbitSource source = start(inbox(), queue, builder -> builder.prefetch(500));
        awaitEffects(count);
        long millis = (System.nanoTime() - begun) / 1_000_000;
        WatchedConnections.Seen channel = watched.channels().get(0);
        await().atMost(PATIENCE).until(() -> channel.acknowledged() == count);
        System.out.printf(
                "%s: %,d messages/s, %,d acknowledgements%n",
                getClass().getSimpleName(), count * 1_000L / millis, channel.frames());
        assertThat(watched.channels()).hasSize(1);
        // Cut, so that closing can acknowledge nothing more. What was sent before is still on its way.
        channel.awaitBroker(queue);
        proxy.close();
        assertNothingComesBack(source, queue);
        assertThat(effects).hasSize(count).doesNotHaveDuplicates();
    }

    @Test
    void unfinishedMessageHoldsBackNoAcknowledgementOfThoseBehindIt() {
        Semaphore goOn = new Semaphore(0);
        AtomicInteger handled = new AtomicInteger();
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 300));
        Inbox<InMemoryContext> inbox = inbox(() -> {
            if (handled.getAndIncrement() == 0) {
                acquire(goOn);
            }
        });
        RabbitSource source =
                start(inbox, queue, builder -> builder.prefetch(20).maxBatch(1));
        // One delivery thread of four hangs with what the prefetch lets it have, the others get all the rest.
        awaitEffects(250);
        goOn.release();
        awaitEffects(300);
        assertEachOnce(300);
        assertNothingComesBack(source, queue);
        assertThat(watched.channels()).hasSize(1);
    }

    @Test
    void whatIsSettledForALostConnectionIsNotAcknowledgedOnTheNext() {
        Semaphore goOn = new Semaphore(0);
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 40));
        RabbitSource source = start(
                inbox(() -> acquire(goOn)),
                queue,
                builder -> builder.concurrency(2).maxBatch(5));
        await().atMost(PATIENCE).until(() -> received.size() >= 2);
        proxy.cut();
        await().atMost(PATIENCE).until(() -> watched.channels().size() == 2);
        goOn.release(1_000);
        awaitEffects(40);
        await().atMost(PATIENCE).until(() -> watched.channels().get(1).acknowledged() == 40);
        assertEachOnce(40);
        assertThat(watched.channels()).hasSize(2);
        assertThat(watched.channels().get(0).acknowledged()).isZero();
        assertThat(watched.channels().get(1).closings()).isEmpty();
        assertNothingComesBack(source, queue);
    }

    @Test
    @Tag("E1")
    void messageThatHangsHoldsBackNoOthersAfterALostConnection() {
        Semaphore goOn = new Semaphore(0);
        AtomicInteger handled = new AtomicInteger();
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 1));
        Inbox<InMemoryContext> inbox = inbox(() -> {
            if (handled.getAndIncrement() == 0) {
                acquire(goOn);
            }
        });
        start(inbox, queue, builder -> builder.maxBatch(1));
        await().atMost(PATIENCE).until(() -> handled.get() == 1);
        proxy.cut();
        await().atMost(PATIENCE).until(() -> watched.channels().size() == 2);
        queue.send(messages(1, 100));
        // What is first in the queue is the one that hangs, and it is begun again with one message.
        awaitEffects(70);
        goOn.release();
        awaitEffects(100);
        assertEachOnce(100);
    }

    @Test
    void functionThatThrowsAgainAndAgainStopsTheSource() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 1));
        RabbitSource source = start(
                inbox(),
                queue,
                builder -> builder.retryPause(Duration.ofMillis(20)).orderingKey(delivery -> {
                    throw new IllegalStateException("no key");
                }));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        assertThat(source.failure())
                .hasRootCauseMessage("no key")
                .hasMessageContaining(queue.name())
                .hasMessageContaining("the function that finds ordering keys");
        await().atMost(PATIENCE).until(() -> queue.ready() == 1);
    }

    @Test
    @Tag("E5")
    void functionThatThrowsOnceCostsOnlyTheConnection() {
        AtomicInteger asked = new AtomicInteger();
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 10));
        RabbitSource source = start(
                inbox(),
                queue,
                builder -> builder.orderingKey(delivery -> {
                    if (asked.incrementAndGet() == 5) {
                        throw new IllegalStateException("no key now");
                    }
                    return delivery.getBody();
                }));
        awaitEffects(10);
        assertEachOnce(10);
        assertThat(source.failure()).isNull();
        assertNothingComesBack(source, queue);
    }

    @Test
    void memoryThatIsUsedUpAtADeliveryCostsOnlyTheConnection() {
        AtomicInteger asked = new AtomicInteger();
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 10));
        RabbitSource source = start(
                inbox(),
                queue,
                builder -> builder.orderingKey(delivery -> {
                    if (asked.incrementAndGet() == 5) {
                        throw new OutOfMemoryError("of the test");
                    }
                    return delivery.getBody();
                }));
        awaitEffects(10);
        assertEachOnce(10);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
        assertThat(watched.channels()).hasSize(2);
        assertNothingComesBack(source, queue);
    }

    @Test
    void errorThatComesWithEachDeliveryStopsTheSourceInTheEnd() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 3));
        RabbitSource source = start(
                inbox(),
                queue,
                builder -> builder.retryPause(Duration.ofMillis(20)).orderingKey(delivery -> {
                    throw new OutOfMemoryError("of the test");
                }));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        assertThat(source.failure()).isInstanceOf(OutOfMemoryError.class);
        assertThat(watched.channels()).hasSize(6);
        await().atMost(PATIENCE).until(() -> queue.ready() == 3);
    }

    @Test
    void brokerThatIsNotThereAtTheStartIsFoundLater() {
        proxy.server(1);
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 10));
        RabbitSource source = start(inbox(), queue, builder -> builder);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_BROKER);
        await().during(Duration.ofMillis(300)).until(effects::isEmpty);
        proxy.server(port());
        awaitEffects(10);
        assertThat(source.failure()).isNull();
    }

    @Test
    void queueThatIsNotThereAtTheStartIsConsumedLater() {
        AmqpQueue other = queue(AmqpQueue.CLASSIC);
        AmqpQueue queue = AmqpQueue.named(AmqpBroker.factory(port()), "later-" + consumer, AmqpQueue.CLASSIC);
        RabbitSource source = RabbitSource.builder(inbox(), factory(), queue.name(), other.name())
                .retryPause(Duration.ofMillis(100))
                .build();
        toClose.add(source);
        source.start();
        other.send(messages(0, 5));
        awaitEffects(5);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        queue.declare();
        toClose.add(queue);
        queue.send(messages(5, 10));
        awaitEffects(10);
        assertEachOnce(10);
        assertThat(source.failure()).isNull();
    }

    @Tag("full")
    @Test
    void handlerThatTakesLongerThanHeartbeatsKeepsItsConnection() {
        ConnectionFactory beating = factory();
        beating.setRequestedHeartbeat(3);
        CountDownLatch never = new CountDownLatch(1);
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 1));
        Inbox<InMemoryContext> slow = inbox(() -> {
            try {
                assertThat(never.await(8, TimeUnit.SECONDS)).isFalse();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        RabbitSource source = start(slow, beating, queue, builder -> builder);
        awaitEffects(1);
        assertNothingComesBack(source, queue);
        assertThat(received).hasSize(1);
        assertThat(watched.channels()).hasSize(1);
    }

    @Test
    void connectionThatIsFrozenIsGivenUpForANewOne() {
        ConnectionFactory beating = factory();
        beating.setRequestedHeartbeat(1);
        beating.setHandshakeTimeout(1_000);
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitSource source = start(inbox(), beating, queue, builder -> builder);
        queue.send(messages(0, 5));
        awaitEffects(5);
        proxy.freeze();
        await().atMost(PATIENCE)
                .until(() -> !watched.channels().get(0).closings().isEmpty());
        proxy.thaw();
        queue.send(messages(5, 10));
        awaitEffects(10);
        assertEachOnce(10);
        assertThat(source.failure()).isNull();
    }

    @Tag("full")
    @Test
    void closingIsBoundedWhileTheConnectionIsFrozen() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        RabbitSource source = start(inbox(), queue, builder -> builder.closeTimeout(Duration.ofSeconds(1)));
        queue.send(messages(0, 5));
        awaitEffects(5);
        proxy.freeze();
        long begun = System.nanoTime();
        source.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(25));
    }

    @Test
    @Tag("E12")
    void connectionThatComesAndGoesIsLoggedTenTimesAMinuteAtMost() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(RabbitSource.class.getPackageName());
        lines.start();
        logger.addAppender(lines);
        try {
            start(inbox(), queue, builder -> builder.retryPause(Duration.ofMillis(10)));
            for (int cut = 0; cut < 15; cut++) {
                int channel = cut;
                queue.send(messages(cut, cut + 1));
                await().atMost(PATIENCE).until(() -> watched.channels().size() == channel + 1);
                await().atMost(PATIENCE)
                        .until(() -> watched.channels().get(channel).acknowledged() > 0);
                proxy.cut();
            }
            await().atMost(PATIENCE).until(() -> watched.channels().size() == 16);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(List.copyOf(lines.list)).hasSizeLessThanOrEqualTo(20).isNotEmpty();
    }

    @Test
    void redeliveryAloneMakesNoMessageASuspect() {
        Semaphore goOn = new Semaphore(0);
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 1));
        start(inbox(() -> acquire(goOn)), queue, builder -> builder);
        for (int cut = 1; cut <= 5; cut++) {
            int channels = cut;
            await().atMost(PATIENCE).until(() -> watched.channels().size() == channels);
            proxy.cut();
        }
        goOn.release(100);
        awaitEffects(1);
        assertThat(received).extracting(Message::deliveries).containsOnly(0);
        assertThat(effects).containsExactly("0");
    }

    @Test
    @SuppressWarnings("JavaUtilDate") // The client knows no other timestamps.
    void propertiesAndHeadersOfAllTypesArrive() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        Map<String, Object> headers = new HashMap<>();
        headers.put("text", "ä €");
        headers.put("bytes", new byte[] {0, (byte) 0xff});
        headers.put("int", 1);
        headers.put("long", Long.MAX_VALUE);
        headers.put("short", (short) -2);
        headers.put("byte", (byte) 3);
        headers.put("float", 1.5f);
        headers.put("double", -2.25);
        headers.put("boolean", true);
        headers.put("decimal", new BigDecimal("12.34"));
        headers.put("date", new Date(1_000_000_000_000L));
        headers.put("table", Collections.singletonMap("a", Arrays.asList("b \"quoted\"", 2, null, false)));
        headers.put("list", List.of("x", List.of(1)));
        headers.put("null", null);
        headers.put("ordering-key", "key");
        headers.put("message-type", "test");
        headers.put("amqp-app-id", "forged");
        queue.send(
                new BasicProperties.Builder()
                        .messageId("id")
                        .contentType("text/plain")
                        .contentEncoding("identity")
                        .correlationId("correlation")
                        .replyTo("reply")
                        .appId("app")
                        .timestamp(new Date(1_000_000_000_000L))
                        .headers(headers)
                        .build(),
                "payload".getBytes(UTF_8));
        start(inbox(), queue, builder -> builder.sourceName(name -> "logical"));
        awaitEffects(1);
        Message message = received.element();
        assertThat(message.source()).isEqualTo("logical");
        assertThat(String.valueOf(message.id())).isEqualTo("id");
        assertThat(message.type()).isEqualTo("test");
        assertThat(message.contentType()).isEqualTo("text/plain");
        assertThat(message.orderingKey()).isEqualTo("key".getBytes(UTF_8));
        assertThat(message.deliveries()).isZero();
        assertThat(message.origin()).contains(queue.name()).contains("exchange ''");
        assertThat(message.headers().last("bytes")).containsExactly(0, 0xff);
        assertThat(message.headers().last("null")).isNull();
        Map<String, String> texts = new HashMap<>();
        message.headers()
                .forEach(header ->
                        texts.put(header.name(), "" + message.headers().lastText(header.name())));
        assertThat(texts)
                .containsEntry("text", "ä €")
                .containsEntry("int", "1")
                .containsEntry("long", "9223372036854775807")
                .containsEntry("short", "-2")
                .containsEntry("byte", "3")
                .containsEntry("float", "1.5")
                .containsEntry("double", "-2.25")
                .containsEntry("boolean", "true")
                .containsEntry("decimal", "12.34")
                .containsEntry("date", "2001-09-09T01:46:40Z")
                .containsEntry("table", "{\"a\":[\"b \\\"quoted\\\"\",2,null,false]}")
                .containsEntry("list", "[\"x\",[1]]")
                .containsEntry("amqp-content-encoding", "identity")
                .containsEntry("amqp-correlation-id", "correlation")
                .containsEntry("amqp-reply-to", "reply")
                .containsEntry("amqp-app-id", "app")
                .containsEntry("amqp-timestamp", "2001-09-09T01:46:40Z")
                .containsEntry("amqp-routing-key", queue.name());
    }
}
