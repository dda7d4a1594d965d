package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.node.SourceState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** What a RabbitMQ of our own can be made to do. */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#isInstalledOrHasToBe",
        disabledReason = "no RabbitMQ is installed on this machine, as Debian's package rabbitmq-server does")
@Tag("full")
class RabbitMqFailuresIT extends RabbitSourceTestBase {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path directory;

    @SuppressWarnings("NullAway.Init")
    private static RabbitMq rabbit;

    @BeforeAll
    static void startRabbit() {
        rabbit = RabbitMq.start(directory.resolve("rabbitmq"));
    }

    @AfterAll
    static void stopRabbit() {
        rabbit.close();
    }

    @Override
    int port() {
        return rabbit.port();
    }

    @Test
    void brokerThatIsKilledInTheMiddleOfABatchIsFoundAgain() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        // The queue has to be older than the kill, see there.
        rabbit.stop();
        rabbit.startAgain();
        isFoundAgain(queue, rabbit::kill);
    }

    @Test
    void brokerOfAQuorumQueueThatIsStoppedInTheMiddleOfABatchIsFoundAgain() {
        isFoundAgain(queue(AmqpQueue.QUORUM), rabbit::stop);
    }

    /** One with a defect ({@link TakeoverDefect}) lets the queue crash where its consumer is cancelled in favour of a wider one. */
    @Test
    void classicQueueWithASingleActiveConsumerGoesOnWhileMoreIsTaken() {
        AmqpQueue queue = queue(Map.of("x-single-active-consumer", true));
        RabbitSource source =
                start(inbox(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3))), queue, builder -> builder);
        for (int sent = 0; sent < 500; sent += 10) {
            queue.send(messages(sent, sent + 10));
        }
        awaitEffects(500, source, queue);
        assertEachOnce(500);
        assertThat(watched.channels()).hasSize(1);
        assertNothingComesBack(source, queue);
    }

    private void isFoundAgain(AmqpQueue queue, Runnable end) {
        queue.send(messages(0, 500));
        AtomicInteger handled = new AtomicInteger();
        AtomicBoolean ended = new AtomicBoolean();
        RabbitSource source = start(
                inbox(() -> {
                    if (handled.incrementAndGet() == 100) {
                        end.run();
                        ended.set(true);
                    }
                }),
                queue,
                builder -> builder.concurrency(2).maxBatch(20));
        await().atMost(PATIENCE).until(() -> ended.get() && handled.get() > 100);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_BROKER);
        rabbit.startAgain();
        awaitEffects(500, source, queue);
        await().atMost(PATIENCE).until(() -> queue.ready() == 0);
        queue.send(messages(490, 600));
        awaitEffects(600, source, queue);
        assertThat(source.failure()).isNull();
        source.close();
        takeTheRest(queue);
        assertEachOnce(600);
    }

    private void awaitEffects(int count, RabbitSource source, AmqpQueue queue) {
        try {
            awaitEffects(count);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "%d effects of %d; the source is %s (%s) and has opened %d channels; the queue: %s; the threads:%n%s"
                            .formatted(
                                    effects.size(),
                                    count,
                                    source.state(),
                                    source.failure(),
                                    watched.channels().size(),
                                    stateOf(queue),
                                    threadsOfTheSource()),
                    e);
        }
    }

    /** What the broker says of it, or why it says nothing. */
    private static String stateOf(AmqpQueue queue) {
        try {
            return queue.ready() + " messages ready, " + queue.consumers() + " consumers";
        } catch (IllegalStateException e) {
            return Reasons.textOf(e);
        }
    }

    private static String threadsOfTheSource() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("pigeonhole-rabbitmq"))
                .map(thread -> thread.getKey().getName() + ": "
                        + Stream.of(thread.getValue()).limit(15).toList())
                .collect(Collectors.joining("\n"));
    }

    /** A quorum queue may lose the last acknowledgements of a connection that ends: what comes again is a duplicate. */
    private void takeTheRest(AmqpQueue queue) {
        await().atMost(PATIENCE).until(() -> {
            await().atMost(PATIENCE).until(() -> queue.consumers() == 0);
            if (staysEmpty(queue)) {
                return true;
            }
            RabbitSource next = start(inbox(() -> {}), queue, builder -> builder.concurrency(2));
            await().atMost(PATIENCE).until(() -> queue.ready() == 0);
            next.close();
            return false;
        });
    }

    /** The broker returns unacknowledged messages only some time after it has removed the consumer. */
    private static boolean staysEmpty(AmqpQueue queue) {
        try {
            await().during(Duration.ofMillis(200)).atMost(Duration.ofSeconds(1)).until(() -> queue.ready() == 0);
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }
}
