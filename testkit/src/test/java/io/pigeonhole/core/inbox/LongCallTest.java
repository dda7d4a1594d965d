package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of handlers that take longer than ten times {@code handlerTimeout}, in the transaction of a batch. */
@Tag("B11")
class LongCallTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final InMemoryStore store = InMemoryStore.create();
    private final Set<String> effects = ConcurrentHashMap.newKeySet();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger waits = new AtomicInteger();
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("long calls", store)
            .handle("note", PayloadDecoder.text(), (payload, context) -> {
                if (payload.equals("waits")) {
                    begun.countDown();
                    waits.incrementAndGet();
                    end.await();
                } else if (payload.equals("ignores interrupts")) {
                    begun.countDown();
                    awaitUninterruptibly();
                }
                context.defer(() -> effects.add(payload));
            })
            .handlerTimeout(Duration.ofMillis(50))
            .build();

    private void awaitUninterruptibly() {
        awaitUninterruptibly(end);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // As a call does that reads from a socket.
            }
        }
    }

    /** Both end with the interrupt; one of them as if nothing had been. */
    private void takeLong(String slow) throws InterruptedException {
        try {
            end.await();
        } catch (InterruptedException e) {
            if (!slow.equals("ignores interrupts")) {
                throw e;
            }
        }
    }

    @AfterEach
    void letGo() {
        end.countDown();
        executor.shutdownNow();
    }

    private static Message message(String payload) {
        return message(payload, "only");
    }

    private static Message message(String payload, String number) {
        return Message.builder("notes")
                .id(payload + " " + number)
                .type("note")
                .payload(payload)
                .build();
    }

    @Test
    void handlerThatTakesTooLongIsInterruptedAndItsAttemptHasFailed() throws Exception {
        Future<List<Outcome>> outcomes = executor.submit(() -> {
            List<Outcome> all = inbox.process(List.of(message("before"), message("waits"), message("behind")));
            assertThat(Thread.interrupted()).isFalse();
            return all;
        });

        await().atMost(PATIENCE).until(() -> {
            inbox.forNodes().lookAtBatches();
            return outcomes.isDone();
        });

        assertThat(outcomes.get())
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.RECEIVED);
        assertThat(outcomes.get().get(1))
                .hasFieldOrPropertyWithValue("attempts", 1)
                .asString()
                .contains("handlerTimeout");
        assertThat(effects).containsExactly("before");
        inbox.work();
        assertThat(effects).containsExactlyInAnyOrder("before", "behind");
        assertThat(inbox.forNodes().hangingThreads()).isEmpty();
    }

    /** Or many that take so long, one after the other, would hold back everything that is good for hours. */
    @Test
    void eachTransactionWaitsForOneCallThatTakesTooLongAtMost() throws Exception {
        List<Message> messages = List.of(message("waits", "1"), message("a"), message("waits", "2"), message("b"));
        Future<List<Outcome>> outcomes = executor.submit(() -> inbox.process(messages));
        awaitWithLooks(outcomes);
        assertThat(outcomes.get())
                .extracting(Outcome::kind)
                .containsExactly(
                        Outcome.Kind.PARKED, Outcome.Kind.RECEIVED, Outcome.Kind.RECEIVED, Outcome.Kind.RECEIVED);

        int calls = waits.get();
        assertThat(calls).isEqualTo(1);
        Future<Integer> work = executor.submit(() -> inbox.work());
        awaitWithLooks(work);
        assertThat(effects).containsExactlyInAnyOrder("a", "b");
        assertThat(waits).hasValue(2);
    }

    private void awaitWithLooks(Future<?> future) {
        await().atMost(PATIENCE).until(() -> {
            inbox.forNodes().lookAtBatches();
            return future.isDone();
        });
    }

    /** The batch ends when its handlers do. */
    @Test
    void slowListenerHoldsUpNeitherBatchesNorLooks() throws Exception {
        CountDownLatch listening = new CountDownLatch(1);
        CountDownLatch listened = new CountDownLatch(1);
        CountDownLatch handle = new CountDownLatch(1);
        Inbox<InMemoryContext> watched = Inbox.builder("watched", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> handle.await())
                .slowBatch(Duration.ofMillis(1))
                .listener(new InboxListener() {
                    @Override
                    public void onSlowBatch(String consumer, Duration inWork) {
                        listening.countDown();
                        awaitUninterruptibly(listened);
                    }
                })
                .build();
        Future<Outcome> outcome = executor.submit(() -> watched.process(message("x")));
        Future<?> looks = executor.submit(() -> {
            while (listening.getCount() > 0) {
                watched.forNodes().lookAtBatches();
            }
        });
        assertThat(listening.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

        // Nor the looks, without which nothing would be interrupted any more.
        looks.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        handle.countDown();
        assertThat(outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Outcome.Processed());
        listened.countDown();
    }

    @Test
    void threadWhoseHandlerReturnsFromNoInterruptHangsUntilItReturns() throws Exception {
        Set<Thread> hanging = ConcurrentHashMap.newKeySet();
        inbox.forSources().whenHandlerHangs(hanging::add);
        Future<Outcome> outcome = executor.submit(() -> inbox.process(message("ignores interrupts")));
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

        await().atMost(PATIENCE).until(() -> {
            inbox.forNodes().lookAtBatches();
            return !hanging.isEmpty();
        });
        assertThat(inbox.forNodes().hangingThreads().keySet()).isEqualTo(hanging);

        end.countDown();
        assertThat(outcome)
                .as("its transaction has ended meanwhile, and others may have the message")
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(RetryableException.class);
        assertThat(inbox.process(message("ignores interrupts")))
                .as("the next one knows of the suspect")
                .isEqualTo(new Outcome.Received());
        assertThat(inbox.forNodes().hangingThreads()).isEmpty();
    }

    /** By then the database has ended the transaction: what is tried in it would fail, and the decoder would wait again. */
    @ParameterizedTest
    @ValueSource(strings = {"waits", "ignores interrupts"})
    void decoderThatTakesTooLongIsCalledOnceForAnAttempt(String slow) throws Exception {
        AtomicInteger decoded = new AtomicInteger();
        Inbox<InMemoryContext> decoding = Inbox.builder("decoding", store)
                .handle(
                        "note",
                        message -> {
                            String payload = PayloadDecoder.text().decode(message);
                            if (payload.equals(slow)) {
                                decoded.incrementAndGet();
                                takeLong(slow);
                            }
                            return payload;
                        },
                        (payload, context) -> context.defer(() -> effects.add(payload)))
                .handlerTimeout(Duration.ofMillis(50))
                .build();
        Future<List<Outcome>> outcomes =
                executor.submit(() -> decoding.process(List.of(message("a"), message(slow), message("b"))));
        await().atMost(PATIENCE).until(() -> {
            decoding.forNodes().lookAtBatches();
            return outcomes.isDone();
        });

        assertThat(outcomes.get())
                .extracting(Outcome::kind)
                .containsExactly(Outcome.Kind.PROCESSED, Outcome.Kind.PARKED, Outcome.Kind.RECEIVED);
        assertThat(outcomes.get().get(1).toString()).contains("handlerTimeout");
        assertThat(decoded).hasValue(1);
    }

    @Test
    void batchOfAThreadThatIsReplacedIsNoProblemOfItsNode() throws Exception {
        Inbox<InMemoryContext> watched = Inbox.builder("watched", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> awaitUninterruptibly())
                .handlerTimeout(Duration.ofMillis(50))
                .slowBatch(Duration.ofMillis(1))
                .build();
        AtomicInteger hanging = new AtomicInteger();
        AtomicBoolean replaces = new AtomicBoolean(true);
        watched.forSources().whenHandlerHangs(thread -> hanging.incrementAndGet() > 0 && replaces.get());
        Future<List<Outcome>> ofSource =
                executor.submit(() -> watched.forSources().process(List.of(message("of a source")), () -> false));
        await().atMost(PATIENCE).until(() -> !watched.forNodes().slowBatches().isEmpty());
        await().atMost(PATIENCE).until(() -> {
            watched.forNodes().lookAtBatches();
            return hanging.get() > 0;
        });
        assertThat(watched.forNodes().slowBatches()).isEmpty();
        assertThat(ofSource).isNotDone();

        replaces.set(false);
        watched.forNodes().lookAtBatches();
        assertThat(watched.forNodes().slowBatches())
                .as("its source goes on with no other thread")
                .hasSize(1);
        replaces.set(true);
        watched.forNodes().lookAtBatches();
        assertThat(watched.forNodes().slowBatches()).isEmpty();

        Future<Outcome> ofApplication = executor.submit(() -> watched.process(message("of the application")));
        await().atMost(PATIENCE).until(() -> {
            watched.forNodes().lookAtBatches();
            return hanging.get() > 20;
        });
        assertThat(watched.forNodes().slowBatches()).as("nobody goes on for it").hasSize(1);
        assertThat(ofApplication).isNotDone();
    }

    @Test
    void keysOfAThreadThatHangsAreFree() {
        KeysAtWork atWork = new KeysAtWork();
        List<MessageKey> keys = List.of(MessageKey.firstOf(1));
        Thread hangs = new Thread(() -> atWork.enter(new ArrayList<>(keys), Duration.ZERO));
        hangs.start();
        await().atMost(PATIENCE).until(() -> !hangs.isAlive());

        atWork.leaveAllOf(hangs);

        assertThat(atWork.enter(new ArrayList<>(keys), Duration.ZERO)).isEmpty();
    }
}
