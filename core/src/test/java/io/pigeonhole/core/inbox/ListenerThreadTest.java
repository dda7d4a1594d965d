package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ListenerThreadTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ListenerThread thread = new ListenerThread("listeners of a test");
    private final AtomicInteger called = new AtomicInteger();
    private final Set<Thread> on = ConcurrentHashMap.newKeySet();

    private void listen() {
        on.add(Thread.currentThread());
        called.incrementAndGet();
    }

    @Test
    void listenerThatHangsHoldsOneThreadHoweverOftenItIsCalled() {
        CountDownLatch end = new CountDownLatch(1);
        thread.call(() -> {
            listen();
            awaitUninterruptibly(end);
        });
        await().atMost(PATIENCE).until(() -> called.get() == 1);
        for (int i = 0; i < 1_000; i++) {
            thread.call(this::listen);
        }
        assertThat(called).hasValue(1);
        end.countDown();
        // Some waited behind it, the others were left out.
        await().atMost(PATIENCE).until(() -> called.get() == 101);
        assertThat(on).hasSize(1);
    }

    @Test
    void whatIsThrownKeepsNobodyFromBeingCalled() {
        thread.call(() -> {
            listen();
            throw new IllegalStateException("no");
        });
        thread.call(this::listen);
        await().atMost(PATIENCE).until(() -> called.get() == 2);
        await().atMost(PATIENCE).until(() -> on.stream().noneMatch(Thread::isAlive));
        thread.call(this::listen);
        await().atMost(PATIENCE).until(() -> called.get() == 3);
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
}
