package io.pigeonhole.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.testkit.memory.InMemoryContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Taking more and more of a queue: nobody is overtaken, no queue is deleted for it, and no good one is given up. One long class, because
 * all tests share the machine's broker, a proxy before it, and the ways to lock, hold up and count what comes.
 */
@EnabledIf(
        value = "io.pigeonhole.rabbitmq.RabbitMq#answersOrHasTo",
        disabledReason = "no RabbitMQ answers at port 5672 of this machine")
@Tag("full")
@Tag("E1")
class RabbitConsumersIT extends RabbitSourceTestBase {
    private static final Map<String, Object> SINGLE =
            Map.of("x-queue-type", "quorum", "x-single-active-consumer", true);

    @SuppressWarnings("NullAway.Init")
    private AmqpProxy faults;

    @Override
    int port() {
        return RabbitMq.PORT;
    }

    @BeforeEach
    void open() {
        faults = AmqpProxy.before(port());
        toClose.add(faults);
    }

    private Inbox<InMemoryContext> inbox(String name) {
        return Inbox.builder(name, store)
                .handle("test", PayloadDecoder.text(), (payload, context) -> context.defer(() -> effects.add(payload)))
                .build();
    }

    private RabbitSource start(Inbox<InMemoryContext> inbox, String queue) {
        return start(inbox, queue, builder -> builder);
    }

    private RabbitSource start(
            Inbox<InMemoryContext> inbox, String queue, UnaryOperator<RabbitSourceBuilder> settings) {
        RabbitSource source = settings.apply(RabbitSource.builder(inbox, AmqpBroker.factory(faults.port()), queue)
                        .retryPause(Duration.ofMillis(20))
                        .connectionOpener(watched))
                .build();
        toClose.add(source);
        source.start();
        return source;
    }

    @Test
    void queueThatIsDeletedWithItsLastConsumerStaysWhileMoreIsTaken() throws Exception {
        ConnectionFactory factory = AmqpBroker.factory(port());
        factory.setAutomaticRecoveryEnabled(false);
        String queue = "pigeonhole-it-" + ProcessHandle.current().pid() + "-deletes-itself";
        start(inbox("deleting"), queue);
        try (Connection connection = factory.newConnection("test");
                Channel channel = connection.createChannel()) {
            for (int round = 0; round < 2; round++) {
                channel.queueDeclare(queue, true, false, true, null);
                channel.confirmSelect();
                for (int i = 0; i < 200; i++) {
                    BasicProperties properties = new BasicProperties.Builder()
                            .messageId(round + "/" + i)
                            .type("test")
                            .deliveryMode(2)
                            .build();
                    channel.basicPublish("", queue, properties, (round + "/" + i).getBytes(UTF_8));
                }
                channel.waitForConfirmsOrDie(PATIENCE.toMillis());
                awaitEffects(200 * (round + 1));
                // It goes with the connection of its only consumer, and not before.
                assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isZero();
                faults.cut();
                await().atMost(PATIENCE).until(() -> !isThere(connection, queue));
            }
        }
    }

    /** So many were opened, and are consumed; of a queue with a single active consumer the broker does not count the others. */
    private void awaitChannels(int count) {
        await().during(Duration.ofMillis(200))
                .atMost(PATIENCE)
                .until(() -> watched.channels().size() == count);
    }

    private static boolean isThere(Connection connection, String queue) throws Exception {
        Channel channel = connection.createChannel();
        try {
            channel.queueDeclarePassive(queue);
            channel.close();
            return true;
        } catch (java.io.IOException e) {
            return false;
        }
    }

    private void assumeTakeoverDefect() throws Exception {
        try (Connection connection = AmqpBroker.factory(port()).newConnection("version")) {
            assumeTrue(TakeoverDefect.isIn(connection.getServerProperties()));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 110, 115, 120, 130, 140, 150, 200, 225})
    void kindOfAQueueIsKnownHoweverLongItsNameIs(int length) throws Exception {
        assumeTakeoverDefect();
        ConnectionFactory factory = AmqpBroker.factory(port());
        try (AmqpQueue classic = AmqpQueue.create(factory, "c".repeat(length), AmqpQueue.CLASSIC);
                AmqpQueue quorum = AmqpQueue.create(factory, "q".repeat(length), AmqpQueue.QUORUM);
                Connection connection = factory.newConnection("kinds")) {
            assertThat(TakeoverDefect.concerns(connection, classic.name())).isTrue();
            assertThat(TakeoverDefect.concerns(connection, quorum.name())).isFalse();
        }
    }

    /** The error that tells it has the name of the queue in it. */
    @Test
    void kindOfAQueueIsKnownAlsoWhereItsNameIsThatOfAnArgument() throws Exception {
        assumeTakeoverDefect();
        ConnectionFactory factory = AmqpBroker.factory(port());
        String name = "-of-'x-stream-offset'";
        try (AmqpQueue classic = AmqpQueue.create(factory, "classic" + name, AmqpQueue.CLASSIC);
                AmqpQueue quorum = AmqpQueue.create(factory, "quorum" + name, AmqpQueue.QUORUM);
                AmqpQueue stream = AmqpQueue.create(factory, "stream" + name, Map.of("x-queue-type", "stream"));
                Connection connection = factory.newConnection("kinds")) {
            assertThat(TakeoverDefect.concerns(connection, classic.name())).isTrue();
            assertThat(TakeoverDefect.concerns(connection, quorum.name())).isFalse();
            assertThat(TakeoverDefect.concerns(connection, stream.name())).isFalse();
        }
    }

    /** Also where the queue has no single active consumer: the broker does not tell. */
    @Test
    void classicQueueTakesMoreWithTheSameConsumerWhereItsBrokerDoesNotBearAnother() throws Exception {
        assumeTakeoverDefect();
        AmqpQueue classic = queue(AmqpQueue.CLASSIC);
        start(inbox("classic"), classic.name());
        await().atMost(PATIENCE).until(() -> classic.consumers() == 1);
        assertThat(watched.channels().get(0).limit()).isEqualTo(1);
        assertThat(watched.channels().get(0).prefetch()).isEqualTo(500);
        classic.send(messages(0, 1_000));
        awaitEffects(1_000);
        assertEachOnce(1_000);
        await().atMost(PATIENCE).until(() -> watched.channels().get(0).limit() == 0);
        assertThat(watched.channels().get(0).consumers()).isEqualTo(1);
        assertThat(watched.channels().get(0).cancelled()).isZero();
    }

    @Test
    void messageThatHangsLeavesAClassicQueueItsSpeedWhereItsBrokerDoesNotBearAnotherConsumer() throws Exception {
        assumeTakeoverDefect();
        Semaphore goOn = new Semaphore(0);
        AmqpQueue classic = queue(AmqpQueue.CLASSIC);
        classic.send(messages(0, 500));
        start(
                Inbox.builder("classic-beside-one-that-hangs", store)
                        .handle("test", PayloadDecoder.text(), (payload, context) -> {
                            if (payload.equals("0")) {
                                acquire(goOn);
                            }
                            context.defer(() -> effects.add(payload));
                        })
                        .build(),
                classic.name(),
                builder -> builder.maxBatch(1));
        awaitEffects(300);
        goOn.release();
        awaitEffects(500);
        assertEachOnce(500);
    }

    /** Its handler takes longer than a queue is tried whose first message the client cannot read. */
    @Tag("E5")
    @Test
    void classicQueueIsNotGivenUpForAMessageThatTheClientCannotReadBeforeThoseInFrontAreAcknowledged() {
        AmqpQueue queue = queue(AmqpQueue.CLASSIC);
        queue.send(messages(0, 1));
        queue.send(AmqpQueue.unreadable(), "unreadable".getBytes(UTF_8));
        queue.send(messages(1, 2));
        RabbitSource source = start(
                Inbox.builder("slow", store)
                        .handle("test", PayloadDecoder.text(), (payload, context) -> {
                            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
                            context.defer(() -> effects.add(payload));
                        })
                        .build(),
                queue.name());
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.FAILED);
        assertThat(source.failure()).hasMessageContaining("its first message").hasMessageContaining("nested");
        assertThat(effects).containsExactly("0");
        await().atMost(PATIENCE).until(() -> queue.consumers() == 0 && queue.ready() == 2);
    }

    @Test
    void twoNodesWithASingleActiveConsumerKeepTheOrderWhileTheyTakeMore() {
        faults.delay(Duration.ofMillis(3));
        for (int round = 0; round < 3; round++) {
            effects.clear();
            AmqpQueue queue = queue(SINGLE);
            List<RabbitSource> sources = List.of(
                    start(ordered("ordered-" + round), queue.name()), start(ordered("ordered-" + round), queue.name()));
            awaitChannels(4 * round + 2);
            faults.cut();
            awaitChannels(4 * round + 4);
            queue.send(IntStream.range(0, 300)
                    .mapToObj(i -> Message.builder("sent")
                            .id("" + i)
                            .type("test")
                            .payload("" + i)
                            .orderingKey("one")
                            .build())
                    .toList());
            awaitEffects(300);
            assertThat(effects)
                    .containsExactlyElementsOf(
                            IntStream.range(0, 300).mapToObj(String::valueOf).toList());
            sources.forEach(RabbitSource::close);
        }
    }

    private Inbox<InMemoryContext> ordered(String name) {
        AtomicInteger handled = new AtomicInteger();
        return Inbox.builder(name, store)
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .handle("test", PayloadDecoder.text(), (payload, context) -> {
                    if (handled.getAndIncrement() % 8 == 0) {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                    }
                    context.defer(() -> effects.add(payload));
                })
                .build();
    }

    @Test
    void standbyOfASingleActiveConsumerIsNotGivenUpHoweverOftenItsConnectionIsLost() throws Exception {
        AmqpQueue queue = queue(SINGLE);
        queue.send(messages(0, 50));
        RabbitSource source;
        try (Connection active = AmqpBroker.factory(port()).newConnection("active");
                Channel channel = active.createChannel()) {
            channel.basicQos(1);
            // Keeps its first message.
            channel.basicConsume(queue.name(), false, new DefaultConsumer(channel));
            await().atMost(PATIENCE).until(() -> queue.ready() == 49);
            source = start(inbox("standby"), queue.name());
            for (int cut = 0; cut < 8; cut++) {
                awaitChannels(cut + 1);
                faults.cut();
            }
            assertThat(source.failure()).isNull();
        }
        awaitEffects(50);
        assertThat(source.state()).isEqualTo(SourceState.RUNNING);
    }

    @Test
    void errorsBeforeAnythingIsConsumedGiveNoQueueUp() {
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        AtomicInteger tries = new AtomicInteger();
        RabbitSource source = RabbitSource.builder(inbox("threads"), factory(), queue.name())
                .retryPause(Duration.ofMillis(2))
                .connectionOpener((factory, name) -> {
                    if (tries.incrementAndGet() <= 10) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    return factory.newConnection(name);
                })
                .build();
        toClose.add(source);
        source.start();
        queue.send(messages(0, 5));
        awaitEffects(5);
        assertThat(source.failure()).isNull();
    }

    /** Messages of ten keys, in the order of their numbers. */
    private static List<Message> keyed(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Message.builder("sent")
                        .id("" + i)
                        .type("test")
                        .payload("" + i)
                        .orderingKey("key-" + i % 10)
                        .build())
                .toList();
    }

    private void assertOrderOfKeys() {
        Map<Integer, Integer> newest = new HashMap<>();
        List<String> late = new ArrayList<>();
        for (String effect : effects) {
            int number = Integer.parseInt(effect);
            int before = newest.merge(number % 10, number, Math::max);
            if (before > number) {
                late.add(number + " after " + before);
            }
        }
        assertThat(late).isEmpty();
    }

    /** What a consumer has comes back to a quorum queue together, so that two of them would permute their messages. */
    @Test
    void keysOfAQuorumQueueKeepTheirOrderWhenTheConnectionIsLostWithAFullWindow() {
        int count = 3_000;
        Semaphore goOn = new Semaphore(0);
        AtomicInteger handled = new AtomicInteger();
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        queue.send(keyed(count));
        start(
                Inbox.builder("in-order", store)
                        .order(KeyOrder.SKIP_DEAD_LETTERS)
                        .handle("test", PayloadDecoder.text(), (payload, context) -> {
                            if (handled.incrementAndGet() > 1_500) {
                                acquire(goOn);
                            }
                            context.defer(() -> effects.add(payload));
                        })
                        .build(),
                queue.name());
        await().atMost(PATIENCE).until(() -> handled.get() > 1_500);
        AtomicLong ready = new AtomicLong(queue.ready());
        await().during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() -> ready.getAndSet(queue.ready()) == ready.get() && effects.size() + ready.get() <= 2_500);
        faults.cut();
        awaitChannels(2);
        goOn.release(count);
        awaitEffects(count);
        assertEachOnce(count);
        assertOrderOfKeys();
    }

    private static void send(AmqpQueue queue, String id, String key) {
        queue.send(List.of(Message.builder("sent")
                .id(id)
                .type("test")
                .payload(id)
                .orderingKey(key)
                .build()));
    }

    /** Whoever began a second consumer beside a message that was slow has one again long before the queue is busy. */
    @Test
    void keyKeepsItsOrderWhenTheConnectionIsLostLongAfterSomethingWasSlow() {
        Semaphore slow = new Semaphore(0);
        Semaphore first = new Semaphore(0);
        AtomicInteger begun = new AtomicInteger();
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        start(
                Inbox.builder("quiet-again", store)
                        .order(KeyOrder.SKIP_DEAD_LETTERS)
                        .handle("test", PayloadDecoder.text(), (payload, context) -> {
                            if (payload.equals("slow")) {
                                acquire(slow);
                            } else if (payload.equals("k1")) {
                                begun.incrementAndGet();
                                acquire(first);
                            }
                            context.defer(() -> effects.add(payload));
                        })
                        .build(),
                queue.name(),
                builder -> builder.maxBatch(1));
        send(queue, "first", "F");
        awaitEffects(1);
        await().atMost(PATIENCE).until(() -> watched.channels().get(0).prefetch() == 8 && queue.consumers() == 1);
        send(queue, "slow", "S");
        for (int i = 0; i < 7; i++) {
            queue.send(messages(i, i + 1));
            awaitEffects(i + 2);
        }
        await().atMost(PATIENCE).until(() -> watched.channels().get(0).acknowledged() == 8);
        // With these the consumer is full, and nothing is left for the wider one.
        queue.send(messages(7, 14));
        await().atMost(PATIENCE).until(() -> watched.channels().get(0).prefetch() == 64);
        await().atMost(PATIENCE).until(() -> watched.channels().get(0).acknowledged() > 8);
        slow.release();
        awaitEffects(16);
        await().during(Duration.ofSeconds(1)).atMost(Duration.ofSeconds(10)).until(() -> queue.consumers() == 1);
        effects.clear();
        List<String> keyed = IntStream.rangeClosed(1, 6).mapToObj(i -> "k" + i).toList();
        keyed.forEach(id -> send(queue, id, "K"));
        await().atMost(PATIENCE).until(() -> begun.get() == 1 && queue.ready() == 0);
        faults.cut();
        awaitChannels(2);
        first.release(2);
        awaitEffects(6);
        assertThat(effects).containsExactlyElementsOf(keyed);
    }

    @Test
    void messageThatHangsLeavesASingleActiveConsumerItsSpeed() {
        int count = 3_000;
        Semaphore goOn = new Semaphore(0);
        AmqpQueue queue = queue(SINGLE);
        queue.send(messages(0, count));
        start(
                Inbox.builder("beside-one-that-hangs", store)
                        .handle("test", PayloadDecoder.text(), (payload, context) -> {
                            if (payload.equals("20")) {
                                acquire(goOn);
                            }
                            context.defer(() -> effects.add(payload));
                        })
                        .build(),
                queue.name(),
                builder -> builder.maxBatch(1));
        // One delivery thread of four hangs, with what it was given before.
        await().atMost(Duration.ofSeconds(30)).until(() -> effects.size() >= count - 200);
        goOn.release();
        awaitEffects(count);
        assertEachOnce(count);
    }

    @Tag("E1")
    @Test
    void messageThatComesLongAfterASlowOneNeedNotWaitForIt() {
        Semaphore goOn = new Semaphore(0);
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        queue.send(messages(0, 1));
        start(
                Inbox.builder("long-after-a-slow-one", store)
                        .handle("test", PayloadDecoder.text(), (payload, context) -> {
                            if (payload.equals("0")) {
                                acquire(goOn);
                            }
                            context.defer(() -> effects.add(payload));
                        })
                        .build(),
                queue.name(),
                builder -> builder.maxBatch(1));
        // By then it has tried in vain to take more beside, as nothing else was there.
        await().pollDelay(Duration.ofSeconds(8)).atMost(Duration.ofSeconds(9)).until(() -> true);
        queue.send(messages(1, 2));
        await().atMost(Duration.ofSeconds(20)).until(() -> effects.contains("1"));
        goOn.release();
        awaitEffects(2);
    }

    /** Its only consumer must not leave it, however long nothing comes. */
    @Test
    void idleQueueThatDeletesItselfStays() throws Exception {
        ConnectionFactory factory = AmqpBroker.factory(port());
        factory.setAutomaticRecoveryEnabled(false);
        String queue = "pigeonhole-it-" + ProcessHandle.current().pid() + "-idle-deletes-itself";
        try (Connection connection = factory.newConnection("test");
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(queue, true, false, true, null);
            start(inbox("idle"), queue, builder -> builder.renewAfter(Duration.ofMillis(100)));
            publish(channel, queue, "first");
            awaitEffects(1);
            await().during(Duration.ofSeconds(3)).atMost(PATIENCE).until(() -> isThere(connection, queue));
            publish(channel, queue, "second");
            awaitEffects(2);
        }
    }

    private static void publish(Channel channel, String queue, String payload) throws Exception {
        BasicProperties properties =
                new BasicProperties.Builder().messageId(payload).type("test").build();
        channel.basicPublish("", queue, properties, payload.getBytes(UTF_8));
    }

    /** Another transaction has the keys of the first, and prefetch has no room for others. */
    @ParameterizedTest
    @MethodSource("quorumQueues")
    void queueOfWhichNothingIsFinishedSaysSo(Map<String, Object> arguments) throws Exception {
        AmqpQueue queue = queue(arguments);
        Inbox<InMemoryContext> inbox = inbox("stands-still");
        RabbitSource source = start(
                inbox,
                queue.name(),
                builder -> builder.prefetch(2).maxBatch(1).concurrency(2).standstill(Duration.ofSeconds(3)));
        RegisteredConsumer consumer = inbox.forNodes().registered();
        List<MessageKey> locked = Stream.of("0", "1")
                .map(id -> consumer.keys().keyOf(queue.name(), MessageId.of(id)))
                .sorted()
                .toList();
        try (InboxTransaction<InMemoryContext> other = store.begin(Duration.ofMinutes(5))) {
            other.claim(consumer, locked, Duration.ofSeconds(1));
            queue.send(messages(0, 5));
            await().atMost(Duration.ofSeconds(40)).until(() -> source.state() == SourceState.DEGRADED);
            assertThat(source.problems())
                    .singleElement()
                    .asString()
                    .contains("no more messages are taken", "(prefetch 2)", "busy: message");
        }
        awaitEffects(5);
        await().atMost(PATIENCE).until(() -> source.state() == SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    static Stream<Map<String, Object>> quorumQueues() {
        return Stream.of(AmqpQueue.QUORUM, SINGLE);
    }

    /** Also where less is left of prefetch than it has already. */
    @ParameterizedTest
    @ValueSource(ints = {10, 15, 100})
    void unfinishedMessagesHoldBackNobodyBeforePrefetchIsFull(int prefetch) throws Exception {
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        Inbox<InMemoryContext> inbox = inbox("half");
        RegisteredConsumer consumer = inbox.forNodes().registered();
        int held = prefetch * 7 / 10;
        List<MessageKey> locked = IntStream.range(0, held)
                .mapToObj(id -> consumer.keys().keyOf(queue.name(), MessageId.of("" + id)))
                .sorted()
                .toList();
        try (InboxTransaction<InMemoryContext> other = store.begin(Duration.ofMinutes(5))) {
            other.claim(consumer, locked, Duration.ofSeconds(1));
            queue.send(messages(0, held + 20));
            start(inbox, queue.name(), builder -> builder.prefetch(prefetch));
            await().atMost(Duration.ofSeconds(60)).until(() -> effects.size() == 20);
        }
        awaitEffects(held + 20);
    }

    /** RabbitMQ 3.10 forgets the consumer, and does not say so. */
    @Test
    void quorumQueueThatIsDeletedAndAtOnceMadeAnewIsConsumedAgain() {
        AmqpQueue queue = queue(AmqpQueue.QUORUM);
        RabbitSource source =
                start(inbox("made-anew"), queue.name(), builder -> builder.renewAfter(Duration.ofMillis(1_500)));
        int sent = 0;
        // Few of them are taken for delivered by the consumer that is forgotten, and none is ready.
        for (int more : new int[] {100, 100, 5, 1}) {
            queue.send(messages(sent, sent + more));
            sent += more;
            awaitEffects(sent);
            await().atMost(PATIENCE).until(() -> queue.ready() == 0);
            queue.ask(channel -> {
                channel.queueDelete(queue.name());
                return channel.queueDeclare(queue.name(), true, false, false, AmqpQueue.QUORUM);
            });
        }
        assertEachOnce(sent);
        assertThat(source.failure()).isNull();
    }
}
