package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a message that is worked on alone, because it may have killed a process, and whose handler hangs. */
@Tag("B11")
class HangingSuspectTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final InMemoryStore store = InMemoryStore.create();
    private final Set<String> effects = ConcurrentHashMap.newKeySet();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void letGo() {
        end.countDown();
        executor.shutdownNow();
    }

    /** A message {@code hangs} hangs, others are effects. */
    private Inbox<InMemoryContext> inbox() {
        return inbox(Duration.ofMinutes(5));
    }

    private Inbox<InMemoryContext> inbox(Duration slowBatch) {
        return Inbox.builder("suspects", store)
                .handle("note", PayloadDecoder.text(), (payload, context) -> {
                    if (payload.equals("hangs")) {
                        begun.countDown();
                        hangWhateverComes();
                    }
                    context.defer(() -> effects.add(payload));
                })
                .crashLimit(1)
                .retry(RetryPolicy.fixed(Duration.ZERO).maxAttempts(100))
                .lease(Duration.ofSeconds(1))
                .handlerTimeout(Duration.ofMillis(200))
                .slowBatch(slowBatch)
                .build();
    }

    private static Message suspect(String payload) {
        return Message.builder("notes")
                .id(payload)
                .type("note")
                .payload(payload)
                .deliveries(2)
                .build();
    }

    @Test
    void batchOfAThreadThatHangsUnderALeaseIsNoProblemOfItsNode() throws Exception {
        Inbox<InMemoryContext> inbox = inbox(Duration.ofMillis(1));
        inbox.process(suspect("hangs"));
        Future<Integer> work = executor.submit(() -> inbox.work());
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        await().atMost(PATIENCE).until(() -> {
            inbox.forNodes().lookAtBatches();
            return !inbox.forNodes().hangingThreads().isEmpty();
        });
        assertThat(inbox.forNodes().slowBatches()).isEmpty();
        assertThat(work).isNotDone();
    }

    @Test
    void suspectThatNobodyCanInterruptKeepsNoOtherWaiting() throws Exception {
        Inbox<InMemoryContext> inbox = inbox();
        inbox.process(suspect("hangs"));
        Future<Integer> first = executor.submit(() -> inbox.work());
        assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        inbox.process(suspect("b"));

        await().atMost(PATIENCE).untilAsserted(() -> {
            inbox.work();
            assertThat(effects).containsExactly("b");
        });
        assertThat(first.isDone()).isFalse();
    }

    @Test
    void decoderThatHangsIsInterruptedAndItsMessageTriedAgain() {
        AtomicInteger decoded = new AtomicInteger();
        Inbox<InMemoryContext> inbox = Inbox.builder("externals", store)
                .<String>handleExternal(
                        "note",
                        message -> {
                            if (decoded.incrementAndGet() == 1) {
                                end.await();
                            }
                            return PayloadDecoder.text().decode(message);
                        },
                        (payload, context) -> database -> database.defer(() -> effects.add(payload)))
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .lease(Duration.ofSeconds(1))
                .externalTimeout(Duration.ofMillis(1))
                .build();
        inbox.process(suspect("slow"));

        await().atMost(PATIENCE).untilAsserted(() -> {
            inbox.work();
            assertThat(effects).containsExactly("slow");
        });
    }

    @Test
    void completionThatHangsLosesItsLease() throws Exception {
        AtomicInteger completed = new AtomicInteger();
        Inbox<InMemoryContext> inbox = Inbox.builder("externals", store)
                .handleExternal("note", PayloadDecoder.text(), (payload, context) -> database -> {
                    if (completed.incrementAndGet() == 1) {
                        hangWhateverComes();
                    }
                    database.defer(() -> effects.add(payload));
                })
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .lease(Duration.ofSeconds(1))
                .externalTimeout(Duration.ofMillis(1))
                .build();
        inbox.process(suspect("slow"));
        Future<Integer> first = executor.submit(() -> inbox.work());

        await().atMost(PATIENCE).untilAsserted(() -> {
            inbox.forNodes().lookAtBatches();
            inbox.work();
            assertThat(effects).containsExactly("slow");
        });
        assertThat(inbox.forNodes().hangingThreads()).hasSize(1);
        assertThat(first.isDone()).isFalse();
    }

    /** Its effect is made, and the lease has not run out yet. */
    @Test
    void handlerThatReturnsAfterItsInterruptIsCompleted() {
        AtomicInteger calls = new AtomicInteger();
        Inbox<InMemoryContext> inbox = Inbox.builder("externals", store)
                .<String>handleExternal("note", PayloadDecoder.text(), (payload, context) -> {
                    calls.incrementAndGet();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        // It has done what it was to do.
                    }
                    return database -> database.defer(() -> effects.add(payload));
                })
                .retry(RetryPolicy.fixed(Duration.ZERO))
                .lease(Duration.ofSeconds(1))
                .externalTimeout(Duration.ofMillis(1))
                .build();
        inbox.process(suspect("late"));

        inbox.work();

        assertThat(effects).containsExactly("late");
        assertThat(calls).hasValue(1);
    }

    private void hangWhateverComes() {
        boolean over = false;
        while (!over) {
            try {
                over = end.await(1, TimeUnit.HOURS);
            } catch (InterruptedException e) {
                over = false;
            }
        }
    }
}
