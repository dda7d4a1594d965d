package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.WorkItem;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
    private final InMemoryStore store = InMemoryStore.create();
    private final Inbox<InMemoryContext> inbox = Inbox.builder("payments", store)
            .handle("payment", PayloadDecoder.text(), (payload, context) -> {})
            .build();

    @Test
    void leaseThatIsNotProlongedAnyMoreIsLostWhenItsNodeCloses() throws InterruptedException {
        LeaseKeeper keeper =
                new LeaseKeeper(inbox.registered(), store::heartbeat, Duration.ofMillis(60), Duration.ofMillis(1));
        Message message =
                Message.builder("queue").id("1").type("payment").payload("x").build();
        WorkItem item = new WorkItem(1, MessageKey.firstOf(1), message, 1, 0, Duration.ZERO, true, 1);
        try (LeaseKeeper.Kept lease = keeper.keep(item)) {
            await().until(lease::isLost);
            assertThat(lease.awaitLoss(Duration.ZERO)).isFalse();
            keeper.stop(worker -> true);
            assertThat(lease.awaitLoss(Duration.ZERO)).isTrue();
        }
    }
}
