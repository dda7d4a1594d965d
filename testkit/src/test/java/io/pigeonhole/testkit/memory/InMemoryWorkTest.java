package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.message.IdForm;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.ConsumerRegistration;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How a test looks at unfinished messages, and which promises of the engine are checked. */
class InMemoryWorkTest {
    private final ManualClock clock = new ManualClock();
    private final InMemoryStore store = InMemoryStore.create(clock);
    private final RegisteredConsumer consumer =
            store.register(new ConsumerRegistration("payments", IdForm.OPAQUE, KeyOrder.SKIP_DEAD_LETTERS, 1));

    private static final class ManualClock extends Clock {
        private Instant now = Instant.parse("2026-11-21T12:00:00Z");

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private static Message message(String id) {
        return Message.builder("notes").id(id).type("note").payload(id).build();
    }

    private MessageKey key(String id) {
        return consumer.keys().keyOf("notes", MessageId.of(id));
    }

    private static FailedAttempt attempt() {
        return new FailedAttempt(1, "node", Duration.ZERO, "class", "text", "stack");
    }

    private void run(Consumer<InboxTransaction<InMemoryContext>> work) {
        try (InboxTransaction<InMemoryContext> transaction = store.begin(Duration.ofMinutes(1))) {
            work.accept(transaction);
            transaction.commit();
        }
    }

    private void receive(String id, boolean byLease) {
        run(transaction -> {
            transaction.claim(consumer, List.of(key(id)), Duration.ZERO);
            transaction.receive(consumer, List.of(new ReceivedMessage(key(id), message(id), byLease)));
        });
    }

    private void park(String id, Duration dueIn) {
        run(transaction -> {
            transaction.claim(consumer, List.of(key(id)), Duration.ZERO);
            transaction.park(consumer, List.of(new ParkedMessage(key(id), message(id), dueIn, attempt())));
        });
    }

    @Test
    void workListsWhatIsReceivedParkedAndLeasedAndParkedOnlyWhatFailed() {
        receive("received", false);
        park("parked", Duration.ofHours(1));
        receive("leased", true);
        run(transaction -> {
            transaction.enter(consumer, 0);
            transaction.lease(consumer, 0, 10, "node", Duration.ofMinutes(1));
        });

        assertThat(store.work("payments"))
                .extracting(WorkItem::key)
                .containsExactly(key("received"), key("parked"), key("leased"));
        assertThat(store.work("payments")).extracting(WorkItem::attempts).containsExactly(0, 1, 1);
        assertThat(store.parked("payments")).extracting(ParkedMessage::key).containsExactly(key("parked"));
        assertThat(store.processed("payments")).isEmpty();
    }

    @Test
    void clockOfATestSaysWhenAMessageIsDue() {
        park("parked", Duration.ofHours(1));
        clock.now = clock.now.plus(Duration.ofMinutes(50));
        assertThat(store.parked("payments")).extracting(ParkedMessage::dueIn).containsExactly(Duration.ofMinutes(10));
        assertThat(store.work("payments")).extracting(WorkItem::age).containsExactly(Duration.ofMinutes(50));

        clock.now = clock.now.plus(Duration.ofMinutes(10));
        run(transaction -> {
            transaction.enter(consumer, 0);
            assertThat(transaction.take(consumer, 0, 10)).hasSize(1);
        });
    }

    @Test
    void pausedConsumerTakesLeasesAndClaimsNothing() {
        receive("ordinary", false);
        receive("by lease", true);
        store.paused("payments", true);
        run(transaction -> {
            transaction.enter(consumer, 0);
            assertThat(transaction.take(consumer, 0, 10)).isEmpty();
            assertThat(transaction.lease(consumer, 0, 10, "node", Duration.ofMinutes(1)))
                    .isEmpty();
        });
        assertThatThrownBy(() -> receive("another", false)).isInstanceOf(ConsumerPausedException.class);

        store.paused("payments", false);
        receive("another", false);
        assertThat(store.work("payments")).hasSize(3);
    }

    @Test
    void deadLettersAreCountedWhenTheyComeAgain() {
        DeadLetter letter = new DeadLetter(key("x"), message("x"), DeadReason.LATE, "old", false, null);
        run(transaction -> transaction.deadLetter(consumer, List.of(letter)));
        run(transaction -> transaction.deadLetter(consumer, List.of(letter)));

        assertThat(store.deadLetters("payments")).containsExactly(letter);
        assertThat(store.seenAgain("payments", key("x"))).isEqualTo(1);
    }

    @Test
    void workerThatDidNotEnterTheWorkPartitionIsRefusedWhereThereIsAnOrder() {
        run(transaction -> {
            assertThatThrownBy(() -> transaction.take(consumer, 0, 1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> transaction.lease(consumer, 0, 1, "node", Duration.ofMinutes(1)))
                    .isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void keyIsNotAskedForWithoutTheLockOfItsWorkPartition() {
        OrderingKey a = OrderingKey.of(new byte[] {1});
        run(transaction -> {
            assertThatThrownBy(() -> transaction.blocked(consumer, List.of(a)))
                    .isInstanceOf(IllegalStateException.class);
            transaction.lock(consumer, List.of(0), Duration.ZERO);
            assertThat(transaction.blocked(consumer, List.of(a))).isEmpty();
        });
    }

    @Test
    void messageThatWasNotTakenCannotBeFinished() {
        receive("x", false);
        WorkItem item = store.work("payments").get(0);
        run(transaction -> assertThatThrownBy(() -> transaction.finish(consumer, List.of(item)))
                .isInstanceOf(IllegalStateException.class));
        assertThat(store.work("payments")).hasSize(1);
    }
}
