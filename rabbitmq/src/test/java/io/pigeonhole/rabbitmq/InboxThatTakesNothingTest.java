package io.pigeonhole.rabbitmq;

import static io.pigeonhole.rabbitmq.RabbitSourceBuilderTest.fake;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.ShutdownSignalException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.time.BoundedWait;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a source asks whether its inbox takes messages, and what it says of that. */
@Tag("E1")
class InboxThatTakesNothingTest {
    private final CrashPlan plan = CrashPlan.none();
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", new CrashingStore<>(store, plan))
            .lateLimit(1)
            .handle("payment", PayloadDecoder.bytes(), (payload, context) -> {})
            .build();
    private final AtomicBoolean isThere = new AtomicBoolean(true);
    private final AtomicInteger missed = new AtomicInteger();
    private final Queue<Consumer> consumers = new ConcurrentLinkedQueue<>();
    private final Queue<List<String>> problemsWhenConsuming = new ConcurrentLinkedQueue<>();
    private final Channel channel = fake(Channel.class, this::answer);
    private final RabbitSource source = RabbitSource.builder(inbox, new ConnectionFactory(), "queue")
            .retryPause(Duration.ofMillis(10))
            .connectionOpener((factory, name) -> fake(
                    Connection.class,
                    (method, values) ->
                            method.equals("createChannel") ? channel : method.equals("isOpen") ? true : null))
            .build();

    @AfterEach
    void close() {
        source.close();
    }

    private @Nullable Object answer(String method, Object[] values) throws IOException {
        boolean consumes = method.equals("basicConsume");
        if ((consumes || method.equals("queueDeclarePassive")) && !isThere.get()) {
            missed.incrementAndGet();
            throw notFound();
        }
        if (consumes) {
            problemsWhenConsuming.add(source.problems());
            consumers.add((Consumer) values[values.length - 1]);
            return "tag";
        }
        return method.equals("queueDeclarePassive")
                ? new AMQP.Queue.DeclareOk.Builder().queue("queue").build()
                : null;
    }

    private static IOException notFound() {
        AMQP.Channel.Close reason = new AMQP.Channel.Close.Builder()
                .replyCode(AMQP.NOT_FOUND)
                .replyText("NOT_FOUND - no queue 'queue'")
                .build();
        return new IOException(new ShutdownSignalException(false, false, reason, null));
    }

    @Test
    void queueThatIsNotThereCostsTheDatabaseNothing() {
        isThere.set(false);
        source.start();
        await().until(() -> missed.get() > 5);
        assertThat(plan.passages(CrashPoint.BEFORE_CLAIM)).isZero();
        assertThat(source.state()).isEqualTo(SourceState.WAITING_FOR_BROKER);
        isThere.set(true);
        await().until(() -> source.state() == SourceState.RUNNING);
        assertThat(plan.passages(CrashPoint.BEFORE_CLAIM)).isPositive();
    }

    /** A consumer after another one that ended has to prove itself, before all is said to be well. */
    @Test
    void refusalOfTheInboxIsOverAsSoonAsItTakesMessages() {
        source.start();
        await().until(() -> consumers.size() == 1);
        AtomicBoolean full = new AtomicBoolean(true);
        plan.always(CrashPoint.BEFORE_CLAIM, () -> {
            if (full.get()) {
                throw new IllegalStateException("no space left on device");
            }
        });
        consumers.element().handleShutdownSignal("tag", new ShutdownSignalException(false, false, null, null));
        await().until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        assertThat(source.problems()).singleElement().asString().contains("the inbox takes no messages", "no space");
        full.set(false);
        await().until(() -> consumers.size() == 2);
        assertThat(List.copyOf(problemsWhenConsuming).get(1))
                .singleElement()
                .asString()
                .contains("queue 'queue'")
                .doesNotContain("the inbox takes no messages");
        await().until(() -> source.state() == SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Test
    void pauseOfTheConsumerIsNamedAsSuch() {
        store.paused("payments", true);
        source.start();
        await().until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        assertThat(source.problems())
                .singleElement()
                .asString()
                .contains("consumer 'payments' is paused", "Admin.resume")
                .doesNotContain("Exception");
        store.paused("payments", false);
        await().until(() -> source.state() == SourceState.RUNNING);
        assertThat(source.problems()).isEmpty();
    }

    @Test
    void whatKeptAQueueFromBeingConsumedIsOverWhereOnlyTheInboxStillDoes() {
        isThere.set(false);
        AtomicBoolean full = new AtomicBoolean(true);
        plan.always(CrashPoint.BEFORE_CLAIM, () -> {
            if (full.get()) {
                throw new IllegalStateException("no space left on device");
            }
        });
        source.start();
        await().until(() -> missed.get() > 1);
        assertThat(source.problems()).singleElement().asString().contains("no queue");
        isThere.set(true);
        await().until(() -> source.state() == SourceState.WAITING_FOR_STORE);
        full.set(false);
        await().until(() -> !problemsWhenConsuming.isEmpty());
        assertThat(problemsWhenConsuming.element()).containsExactly("queue 'queue': not consumed yet");
    }

    @Test
    void floodThatTheInboxHoldsBackIsAProblem() {
        source.start();
        await().until(() -> source.state() == SourceState.RUNNING);
        Instant late = Instant.now().plusSeconds(10);
        store.ledgerBounds(late.plusSeconds(100), null);
        for (int i = 0; i < 2; i++) {
            long millis = late.toEpochMilli();
            String id = String.format("%08x-%04x-7000-8000-%012x", millis >>> 16, millis & 0xFFFF, i);
            inbox.process(Message.builder("queue").id(id).type("payment").build());
        }
        assertThat(source.state()).isEqualTo(SourceState.DEGRADED);
        assertThat(source.problems()).singleElement().asString().contains("payments", "held back", "lateLimit");
    }

    @Test
    void sourceThatIsClosedWhileItAsksItsInboxConsumesNothing() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch mayAnswer = new CountDownLatch(1);
        plan.always(CrashPoint.BEFORE_CLAIM, () -> {
            asked.countDown();
            BoundedWait.await(Duration.ofMinutes(2), nanos -> mayAnswer.await(nanos, TimeUnit.NANOSECONDS));
            // As where the answer came before the interrupt of whoever closes it.
            Thread.interrupted();
        });
        source.start();
        await().until(() -> asked.getCount() == 0);
        source.close();
        Thread asking = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().endsWith("payments:queue"))
                .findFirst()
                .orElseThrow();
        mayAnswer.countDown();
        assertThat(BoundedWait.join(asking, Duration.ofSeconds(30))).isTrue();
        assertThat(consumers).isEmpty();
    }
}
