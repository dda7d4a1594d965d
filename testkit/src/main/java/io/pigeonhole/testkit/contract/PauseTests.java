package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A paused consumer accepts nothing, and loses nothing. */
abstract class PauseTests<C extends HandlerContext> extends WorkLab<C> {
    PauseTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private void assertThatClaimIsRefused(MessageKey key) {
        try (InboxTransaction<C> transaction = begin()) {
            assertThatThrownBy(() -> claim(transaction, key))
                    .isInstanceOf(ConsumerPausedException.class)
                    .hasMessageContaining(consumer.name());
        }
    }

    @Test
    void nothingIsClaimedWhileItIsPaused() {
        MessageKey key = key(0);
        fixture.pause(consumer.name(), true);
        assertThatClaimIsRefused(key);
        assertThatClaimIsRefused(key);

        fixture.pause(consumer.name(), false);
        assertThat(claimed(key).claimed()).containsExactly(key);
    }

    @Test
    void duplicateIsRefusedTooWhileItIsPaused() {
        MessageKey key = key(1);
        claimed(key);
        fixture.pause(consumer.name(), true);
        assertThatClaimIsRefused(key);

        fixture.pause(consumer.name(), false);
        assertThat(claimed(key).claimed()).isEmpty();
    }

    @Test
    void otherConsumersGoOn() {
        RegisteredConsumer paused = consumer;
        fixture.pause(paused.name(), true);
        consumer = register();
        MessageKey key = key(0);

        assertThat(claimed(key).claimed()).containsExactly(key);
    }

    @Test
    void registeringAPausedConsumerLeavesItPaused() {
        fixture.pause(consumer.name(), true);
        RegisteredConsumer again = store.register(new ConsumerRegistration(
                consumer.name(), IdForm.TIME_ORDERED, consumer.order(), consumer.workPartitions()));

        assertThat(again).isEqualTo(consumer);
        assertThatClaimIsRefused(key(0));
    }

    @Test
    void workersFindNothingWhileItIsPaused() {
        received(1);
        fixture.pause(consumer.name(), true);
        run(transaction -> {
            for (int workPartition = 0; workPartition < consumer.workPartitions(); workPartition++) {
                if (transaction.enter(consumer, workPartition)) {
                    assertThat(transaction.take(consumer, workPartition, 10)).isEmpty();
                }
            }
        });

        fixture.pause(consumer.name(), false);
        assertThat(available()).hasSize(1);
    }

    @Test
    void workThatIsTakenAlreadyIsFinished() {
        received(1);
        run(transaction -> {
            List<WorkItem> items = take(transaction);
            fixture.pause(consumer.name(), true);
            transaction.finish(consumer, items);
        });
        fixture.pause(consumer.name(), false);
        assertThat(available()).isEmpty();
    }
}
