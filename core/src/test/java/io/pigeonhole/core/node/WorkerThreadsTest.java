package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("B11")
class WorkerThreadsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Message MESSAGE =
            Message.builder("q").id("1").payload("x").build();

    private final WorkerThreads threads = new WorkerThreads("worker", 1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Thread> begun = new CopyOnWriteArrayList<>();

    private void hang() {
        begun.add(Thread.currentThread());
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        threads.isBack(Thread.currentThread());
    }

    @Test
    void sixteenThreadsThatHangAreReplacedAndTheNextIsAFailureUntilOneReturns() {
        for (int i = 1; i <= 17; i++) {
            int number = i;
            threads.pool().execute(this::hang);
            await().atMost(PATIENCE).until(() -> begun.size() == number);
            assertThat(threads.failure()).isNull();
            threads.hangs(begun.get(i - 1), "calls", MESSAGE);
        }

        assertThat(threads.failure())
                .hasMessageStartingWith("17 threads 'worker' hang")
                .hasMessageContaining("0 of 1 are left");
        threads.pool().execute(this::hang);
        assertThat(begun).hasSize(17);

        end.countDown();
        await().atMost(PATIENCE).until(() -> begun.size() == 18 && threads.failure() == null);
        threads.pool().shutdown();
    }

    @Test
    void threadThatDidNotHangIsNotBack() {
        assertThat(threads.isBack(Thread.currentThread())).isFalse();
        threads.pool().shutdown();
    }
}
