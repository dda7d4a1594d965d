package io.pigeonhole.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.rabbitmq.AmqpProxy.AtConsume;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Quorum queues with a delivery limit of 20, which is what RabbitMQ 4 gives them: whatever one queue, one message or the network
 * does, the broker throws nothing away, and the other queues go on. What the limit throws away would be in a queue for dead
 * letters.
 */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#answersOrHasTo",
        disabledReason = "no RabbitMQ answers at port 5672 of this machine")
@Tag("full")
class RabbitDeliveryLimitIT extends RabbitSourceTestBase {
    private static final int LIMIT = 20;

    private final CrashPlan plan = CrashPlan.none();

    @SuppressWarnings("NullAway.Init")
    private AmqpProxy faults;

    @SuppressWarnings("NullAway.Init")
    private AmqpQueue thrownAway;

    @Override
    int port() {
        return RabbitMq.PORT;
    }

    @BeforeEach
    void makeQueueForWhatIsThrownAway() {
        faults = AmqpProxy.before(port());
        toClose.add(faults);
        thrownAway = queue(AmqpQueue.CLASSIC);
    }

    private AmqpQueue limited() {
        return queue(Map.of(
                "x-queue-type",
                "quorum",
                "x-delivery-limit",
                LIMIT,
                "x-dead-letter-exchange",
                "",
                "x-dead-letter-routing-key",
                thrownAway.name()));
    }

    /** A handler that lets messages wait behind it: 4 delivery threads do about 1,000 a second. */
    private static void takeFourMillis() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(4);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Suspects are worked on, too: there is nobody else here who would. */
    private Inbox<InMemoryContext> slowInbox() {
        return Inbox.builder(consumer, new CrashingStore<>(store, plan))
                .crashLimit(1_000)
                .handle("test", PayloadDecoder.text(), (payload, context) -> {
                    takeFourMillis();
                    context.defer(() -> effects.add(payload));
                })
                .build();
    }

    private RabbitSource consume(UnaryOperator<RabbitSourceBuilder> settings, AmqpQueue... queues) {
        ConnectionFactory factory = AmqpBroker.factory(faults.port());
        RabbitSource source = settings.apply(RabbitSource.builder(
                                slowInbox(),
                                factory,
                                Stream.of(queues).map(AmqpQueue::name).toArray(String[]::new))
                        .retryPause(Duration.ofMillis(100)))
                .build();
        toClose.add(source);
        source.start();
        return source;
    }

    private RabbitSource consume(AmqpQueue... queues) {
        return consume(settings -> settings.maxBatch(10), queues);
    }

    private void assertNothingWasThrownAway() {
        assertThat(thrownAway.ready()).as("messages that the broker threw away").isZero();
        assertThat(effects).doesNotHaveDuplicates();
    }

    /** Of what is left in a queue. */
    private static long mostDeliveries(AmqpQueue queue) {
        return queue.ask(channel -> {
            long most = 0;
            GetResponse left = channel.basicGet(queue.name(), false);
            for (; left != null; left = channel.basicGet(queue.name(), false)) {
                Map<String, Object> headers = left.getProps().getHeaders();
                Object count = headers == null ? null : headers.get("x-delivery-count");
                most = Math.max(most, count instanceof Number number ? number.longValue() : 0);
            }
            return most;
        });
    }

    private void awaitSettled(AmqpQueue... queues) {
        for (AmqpQueue queue : queues) {
            await().atMost(PATIENCE).until(() -> queue.ready() == 0);
        }
    }

    @Test
    @Tag("E1")
    void messageThatKillsItsConnectionCostsTheOtherQueuesNothing() {
        AmqpQueue bad = limited();
        AmqpQueue one = limited();
        AmqpQueue other = limited();
        bad.send(AmqpQueue.unreadable(), "deep".getBytes(UTF_8));
        one.send(messages(0, 1_000));
        other.send(messages(1_000, 2_000));
        RabbitSource source = consume(bad, one, other);
        awaitEffects(2_000);
        assertEachOnce(2_000);
        await().atMost(PATIENCE).until(() -> source.failure() != null);
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains(bad.name());
        assertThat(source.failure()).hasMessageContaining(bad.name()).hasMessageContaining("nested");
        awaitSettled(one, other);
        await().atMost(PATIENCE).until(() -> bad.ready() == 1);
        assertNothingWasThrownAway();
    }

    @Test
    @Tag("E1")
    void messagesOfTheSameQueueBeforeOneThatKillsItsConnectionTakeEffectAndTheRestStays() {
        AmqpQueue bad = limited();
        bad.send(messages(0, 300));
        bad.send(AmqpQueue.unreadable(), "deep".getBytes(UTF_8));
        bad.send(messages(300, 600));
        RabbitSource source = consume(bad);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        source.close();
        // What came back with the deadly message may stand behind it since.
        assertThat(effects.size()).isGreaterThan(250);
        await().atMost(PATIENCE).until(() -> bad.consumers() == 0);
        await().atMost(PATIENCE).until(() -> bad.ready() + effects.size() >= 601);
        assertNothingWasThrownAway();
    }

    @Test
    @Tag("E1")
    void connectionThatEndsAtAMessageWithoutAWordIsTriedAFewTimesOnly() {
        AmqpQueue bad = limited();
        AmqpQueue good = limited();
        bad.send(messages(2_000, 2_050));
        bad.send(messages(9_999, 10_000));
        bad.send(messages(2_050, 2_100));
        good.send(messages(0, 2_000));
        faults.endAtBody("9999");
        RabbitSource source = consume(bad, good);
        await().atMost(PATIENCE).until(() -> source.failure() != null);
        awaitSettled(good);
        await().atMost(PATIENCE).until(() -> effects.size() >= 2_050);
        assertThat(source.failure()).hasMessageContaining(bad.name());
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        await().atMost(PATIENCE).until(() -> bad.consumers() == 0);
        long deliveries = mostDeliveries(bad);
        System.out.println("a message that ends connections was delivered " + deliveries + " times");
        assertThat(deliveries).isBetween(5L, 14L);
        assertNothingWasThrownAway();
    }

    @Test
    @Tag("E1")
    void connectionThatEndsBeforeTheAnswerThatComesWithAMessageIsTriedAFewTimesOnly() {
        AmqpQueue bad = limited();
        bad.send(messages(9_999, 10_000));
        bad.send(messages(0, 50));
        faults.endAtBodyWithTheAnswer("9999");
        RabbitSource source = consume(bad);
        await().atMost(PATIENCE).until(() -> source.failure() != null || thrownAway.ready() > 0);
        assertNothingWasThrownAway();
        assertThat(source.failure()).hasMessageContaining(bad.name());
        await().atMost(PATIENCE).until(() -> bad.consumers() == 0 && bad.ready() == 51);
        assertThat(mostDeliveries(bad)).isBetween(5L, 14L);
    }

    @Test
    @Tag("E1")
    void queueAtWhichTheBrokerClosesTheConnectionCostsTheOthersNothingAndIsFoundAgain() {
        AmqpQueue bad = limited();
        AmqpQueue good = limited();
        faults.breakQueue(bad.name(), AtConsume.INTERNAL_ERROR);
        good.send(messages(0, 3_000));
        bad.send(messages(3_000, 3_100));
        RabbitSource source = consume(bad, good);
        awaitEffects(1_000);
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains(bad.name(), "541");
        awaitEffects(3_000);
        assertThat(source.failure()).isNull();
        faults.mendQueue(bad.name());
        awaitEffects(3_100);
        assertEachOnce(3_100);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
        awaitSettled(bad, good);
        assertNothingWasThrownAway();
    }

    @Test
    @Tag("E2")
    void queueThatDoesNotAnswerKeepsNeitherMessagesNorAcknowledgementsOfTheOthers() {
        AmqpQueue bad = limited();
        AmqpQueue good = limited();
        faults.breakQueue(bad.name(), AtConsume.NO_ANSWER);
        good.send(messages(0, 3_000));
        RabbitSource source = consume(settings -> settings.maxBatch(10).prefetch(50), bad, good);
        // With what a prefetch of 50 allows, all of them come only where acknowledgements do not wait for the bad
        // queue.
        await().atMost(Duration.ofSeconds(30)).until(() -> effects.size() >= 3_000);
        assertEachOnce(3_000);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.DEGRADED);
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(source.problems()).singleElement().asString().contains(bad.name(), "basic.consume"));
        assertThat(faults.unanswered()).isEqualTo(1);
        faults.mendQueue(bad.name());
        bad.send(messages(3_000, 3_100));
        awaitEffects(3_100);
        awaitSettled(bad, good);
        assertNothingWasThrownAway();
    }

    @Test
    @Tag("E1")
    void connectionsThatAreLostWhileTheDatabaseIsAwayCostOneDelivery() {
        assertCostOneDelivery(() -> store.available(false), () -> store.available(true));
    }

    @Test
    @Tag("E1")
    void connectionsThatAreLostWhileTheConsumerIsPausedCostOneDelivery() {
        Admin admin = Admin.of(store);
        Author ann = new Author("ann", "a flood");
        assertCostOneDelivery(() -> admin.pause(consumer, ann), () -> admin.resume(consumer, ann));
    }

    @Test
    @Tag("E1")
    void connectionsThatAreLostWhileTheDatabaseAnswersAndTakesNothingCostOneDelivery() {
        assertCostOneDelivery(
                () -> plan.always(CrashPoint.BEFORE_CLAIM, () -> {
                    throw new StoreUnavailableException("No space left on device", null);
                }),
                plan::calm);
    }

    private void assertCostOneDelivery(Runnable takesNothing, Runnable takesAgain) {
        AmqpQueue queue = limited();
        queue.send(messages(0, 100));
        RabbitSource source = consume(queue);
        awaitEffects(1);
        takesNothing.run();
        queue.send(messages(100, 200));
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        for (int cut = 0; cut < LIMIT + 5; cut++) {
            int connections = faults.accepted();
            faults.cut();
            await().atMost(PATIENCE).until(() -> faults.accepted() > connections);
            await().during(Duration.ofMillis(100)).atMost(PATIENCE).until(() -> queue.consumers() == 0);
        }
        takesAgain.run();
        awaitEffects(200);
        assertEachOnce(200);
        awaitSettled(queue);
        assertNothingWasThrownAway();
    }

    @Test
    @Tag("E1")
    void networkThatCutsConnectionsAgainAndAgainUsesUpNoDeliveries() {
        AmqpQueue queue = limited();
        int count = 3_000;
        queue.send(messages(0, count));
        consume(settings -> settings.maxBatch(5).concurrency(1), queue);
        for (int effectsBefore = 20; effectsBefore <= 1_200; effectsBefore += 30) {
            awaitEffects(effectsBefore);
            faults.cut();
        }
        awaitEffects(count);
        assertEachOnce(count);
        awaitSettled(queue);
        assertNothingWasThrownAway();
    }

    @Test
    @Tag("E1")
    void goodQueueKeepsAtLeastHalfOfItsSpeedBesideBadOnes() {
        AmqpQueue good = limited();
        int count = 4_000;
        good.send(messages(0, count));
        long begun = System.nanoTime();
        RabbitSource alone = consume(good);
        awaitEffects(count);
        long nanosAlone = System.nanoTime() - begun;
        alone.close();
        effects.clear();

        AmqpQueue refused = limited();
        AmqpQueue silent = limited();
        AmqpQueue deadly = limited();
        faults.breakQueue(refused.name(), AtConsume.INTERNAL_ERROR);
        faults.breakQueue(silent.name(), AtConsume.NO_ANSWER);
        deadly.send(AmqpQueue.unreadable(), "deep".getBytes(UTF_8));
        AmqpQueue again = limited();
        again.send(messages(count, 2 * count));
        begun = System.nanoTime();
        consume(refused, silent, deadly, again);
        awaitEffects(count);
        long nanosBeside = System.nanoTime() - begun;
        System.out.printf(
                "good queue: %,d messages/s alone, %,d beside three bad ones%n",
                count * 1_000_000_000L / nanosAlone, count * 1_000_000_000L / nanosBeside);
        assertThat(nanosBeside).isLessThan(2 * nanosAlone);
        awaitSettled(again);
        assertNothingWasThrownAway();
    }
}
