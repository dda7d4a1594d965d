package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.KeyScheme;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Heartbeat;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("B2")
class LeaseKeeperTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final RegisteredConsumer CONSUMER = new RegisteredConsumer(
            (short) 1, "keeper", new KeyScheme(KeyScheme.ALWAYS_DIGEST, false), KeyOrder.NONE, 1, Deduplication.IDS);

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger beats = new AtomicInteger();

    private Heartbeat open() {
        if (opened.incrementAndGet() == 1) {
            throw new OutOfMemoryError("unable to create a connection");
        }
        return new Heartbeat() {
            @Override
            public Set<Long> prolong(RegisteredConsumer consumer, List<WorkItem> items, Duration duration) {
                beats.incrementAndGet();
                return items.stream().map(WorkItem::id).collect(Collectors.toSet());
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void leasesAreProlongedWhateverTheirThreadMeets() {
        LeaseKeeper keeper = new LeaseKeeper(CONSUMER, this::open, Duration.ofMillis(60));
        Message message = Message.builder("q").id("1").payload("x").build();
        WorkItem item = new WorkItem(1, MessageKey.FIRST_DIGEST, message, 1, 0, Duration.ZERO, true, 1);
        try (LeaseKeeper.Kept lease =
                keeper.keep(item, new LeaseKeeper.Limit(Duration.ofHours(1), "patience"), System.nanoTime())) {
            await().atMost(PATIENCE).until(() -> beats.get() > 2);
            for (int i = 0; i < 3; i++) {
                interruptTheThread();
                int before = beats.get();
                await().atMost(PATIENCE).until(() -> beats.get() > before + 2);
            }
            assertThat(lease.isLost()).isFalse();
        }
        await().atMost(PATIENCE).until(() -> threads().isEmpty());
    }

    private static void interruptTheThread() {
        threads().forEach(Thread::interrupt);
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("pigeonhole-leases-keeper"))
                .toList();
    }
}
