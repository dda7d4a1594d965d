package io.pigeonhole.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No entry is lost, and none overtakes another, where the memory is used up in the middle of what a delivery thread does. */
@Tag("B2")
class DeliveryThreadMemoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long LATER = TimeUnit.MINUTES.toNanos(1);

    private final Queue<String> settled = new ConcurrentLinkedQueue<>();
    private final Queue<List<String>> batches = new ConcurrentLinkedQueue<>();
    private final DeliveryThreads deliveryThreads =
            DeliveryThreads.start("other", new BusyAtFirst(), DeliverySettings.standard());
    private final DeliveryGroup group = deliveryThreads.open();

    /** All of the first batch is busy, and nothing after it. */
    private final class BusyAtFirst implements BatchProcessor {
        @Override
        public List<Outcome> process(List<Message> messages) {
            batches.add(messages.stream().map(message -> "" + message.id()).toList());
            Outcome outcome =
                    batches.size() == 1 ? new Outcome.Busy("a duplicate is in flight") : new Outcome.Processed();
            return messages.stream().map(message -> outcome).toList();
        }

        @Override
        public void probe() {}
    }

    @AfterEach
    void close() {
        deliveryThreads.close(PATIENCE);
    }

    /** Compared as the letter that it is; asking for its hash fails when the count of those that do not is used up. */
    private static final class Order {
        private final char letter;
        private final AtomicInteger hashesLeft = new AtomicInteger(Integer.MAX_VALUE);

        Order(char letter) {
            this.letter = letter;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Order order && order.letter == letter;
        }

        @Override
        public int hashCode() {
            if (hashesLeft.getAndDecrement() == 0) {
                throw new OutOfMemoryError("no room for the hash");
            }
            return letter;
        }
    }

    /** An entry of the order of its first letter. */
    private final class Named extends Entry {
        private final String name;
        private final Order order;
        private final AtomicInteger ordersLeft = new AtomicInteger(Integer.MAX_VALUE);

        Named(String name) {
            super(group, Message.builder("test").id(name).payload(name).build(), outcome -> settled.add(name), false);
            this.name = name;
            this.order = new Order(name.charAt(0));
        }

        @Override
        Object order() {
            if (ordersLeft.getAndDecrement() == 0) {
                throw new OutOfMemoryError("no room for the order");
            }
            return order;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    @Test
    void whatWasTakenIsQueuedAgainWhereTheMemoryIsUsedUpAtOneBehindIt() {
        DeliveryThreadQueue queue = new DeliveryThreadQueue();
        queue.busy(new Named("a1"), 0);
        Named failing = new Named("d1");
        List.of(new Named("b1"), new Named("a2"), new Named("c1"), failing, new Named("b2"))
                .forEach(queue::add);
        failing.ordersLeft.set(0);

        assertThatThrownBy(() -> queue.take(10, 0)).isInstanceOf(OutOfMemoryError.class);

        assertThat(queue.take(10, 0)).extracting(Object::toString).containsExactly("b1", "c1", "d1", "b2");
        List<Entry> heads = queue.take(10, LATER);
        assertThat(heads).extracting(Object::toString).containsExactly("a1");
        queue.settled(heads.get(0));
        assertThat(queue.take(10, LATER)).extracting(Object::toString).containsExactly("a2");
    }

    @Test
    void busyEntryAndThoseBehindItAreKeptWhereTheMemoryIsUsedUpAsItComesBack() {
        for (int hashes = 0; hashes < 3; hashes++) {
            DeliveryThreadQueue queue = new DeliveryThreadQueue();
            Named head = new Named("a1");
            queue.busy(head, 0);
            queue.add(new Named("a2"));
            assertThat(queue.take(10, 0)).isEmpty();
            assertThat(queue.take(10, LATER)).containsExactly(head);
            head.order.hashesLeft.set(hashes);
            try {
                queue.busy(head, LATER);
            } catch (OutOfMemoryError e) {
                // The delivery thread has it in hand and hands it in again.
                assertThat(e).hasMessage("no room for the hash");
            }
            head.order.hashesLeft.set(Integer.MAX_VALUE);
            queue.settled(head);
            assertThat(queue.take(10, LATER))
                    .as("after %s hashes", hashes)
                    .extracting(Object::toString)
                    .containsExactly("a2");
        }
    }

    @Test
    void entriesThatWereHeldBeforeTheMemoryWasUsedUpAreHandedInAgainOnce() {
        Load load = new Load();
        DeliveryThread deliveryThread = new DeliveryThread("test", new BusyAtFirst(), 10, load, System::nanoTime);
        Named failing = new Named("x1");
        failing.ordersLeft.set(0);
        List.of(new Named("a1"), new Named("a2"), new Named("a3"), failing).forEach(deliveryThread::add);
        deliveryThread.start();

        await().atMost(PATIENCE).until(() -> load.messages() == 0);
        deliveryThread.add(new Named("last"));
        await().atMost(PATIENCE).until(() -> settled.contains("last"));
        deliveryThread.close();

        assertThat(settled).containsExactly("a1", "a2", "a3", "x1", "last");
        assertThat(batches).hasSize(1 + 4 + 1);
    }
}
