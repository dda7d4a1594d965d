package io.pigeonhole.sqs;

import io.pigeonhole.core.delivery.DeliveryGroup;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import software.amazon.awssdk.services.sqs.model.Message;

/**
 * The messages of one receive, up to ten, until each is settled. As they came together, they are taken back together; each
 * is hidden for as long as SQS says of it. Submitted once. Safe for use by many threads.
 */
final class Received {
    /** Until they are submitted: the delivery threads have the payloads, and one slow message is not to keep the bodies of ten. */
    private List<Message> messages;

    private final DeliveryGroup group;
    private final Consumer<Delivery> acknowledge;
    private final List<Delivery> deliveries;
    private final Set<Delivery> unsettled = ConcurrentHashMap.newKeySet();
    /** Of the unsettled ones, those that SQS may still have hidden for us. */
    private final Set<Delivery> held = ConcurrentHashMap.newKeySet();

    private final long since = System.nanoTime();
    private boolean withdrawn;

    /**
     * One message on its way. Compared by identity: the same message may come twice. It knows nothing of the message but the receipt,
     * so that what waits for its deletion keeps no payload.
     */
    static final class Delivery {
        private final String receipt;
        private volatile long hiddenAt;
        private volatile long hiddenUntil;

        private Delivery(String receipt, long since, Duration hidden) {
            this.receipt = receipt;
            hidden(since, hidden);
        }

        /** What SQS knows this delivery by. */
        String receipt() {
            return receipt;
        }

        /** Whether SQS may have given the message to somebody else meanwhile. */
        boolean isStale() {
            return System.nanoTime() - hiddenUntil >= 0;
        }

        /** How long until SQS may give the message to somebody else; negative where it may have done so. */
        Duration untilStale() {
            return Duration.ofNanos(hiddenUntil - System.nanoTime());
        }

        /** Negative where this one may be given to somebody else earlier. */
        int compareStaleness(Delivery other) {
            return Long.signum(hiddenUntil - other.hiddenUntil);
        }

        /** How long ago it was that it was hidden last. */
        Duration sinceHidden() {
            return Duration.ofNanos(System.nanoTime() - hiddenAt);
        }

        /** It is hidden for so long from an instant of {@link System#nanoTime} on. */
        void hidden(long from, Duration duration) {
            hiddenAt = from;
            hiddenUntil = from + duration.toNanos();
        }
    }

    Received(List<Message> messages, Duration hidden, DeliveryGroup group, Consumer<Delivery> acknowledge) {
        this.messages = messages;
        this.group = group;
        this.acknowledge = acknowledge;
        this.deliveries = messages.stream()
                .map(message -> new Delivery(message.receiptHandle(), since, hidden))
                .toList();
        unsettled.addAll(deliveries);
        held.addAll(deliveries);
    }

    /** Puts the messages into their delivery threads, in their order, unless they were taken back before. */
    synchronized void submit(MessageMapper mapper) {
        List<Message> all = messages;
        messages = List.of();
        for (int i = 0; i < all.size() && !withdrawn; i++) {
            Message message = all.get(i);
            Delivery delivery = deliveries.get(i);
            group.submit(mapper.map(message), outcome -> settled(delivery));
        }
    }

    private void settled(Delivery delivery) {
        unsettled.remove(delivery);
        held.remove(delivery);
        acknowledge.accept(delivery);
    }

    /** Takes back what is not in work. */
    synchronized void withdraw() {
        withdrawn = true;
        group.withdraw();
    }

    /** Takes back what is not in work, and lets all of it come again when its visibility timeout is over. */
    void abandon() {
        withdraw();
        held.clear();
        unsettled.clear();
    }

    /** After {@link #withdraw}: waits until nothing is in work; false where something still is. */
    boolean awaitIdle(Duration timeout) {
        return group.awaitIdle(timeout);
    }

    /** Those that are not settled and may still be hidden for us. */
    List<Delivery> held() {
        return List.copyOf(held);
    }

    /** Whether it is not settled and may still be hidden for us. */
    boolean holds(Delivery delivery) {
        return held.contains(delivery);
    }

    /** Whether there is any to be kept hidden. */
    boolean isHeld() {
        return !held.isEmpty();
    }

    /** Leaves these alone. They are worked on all the same; whoever is given them as well finds duplicates. */
    void letGo(Collection<Delivery> lost) {
        held.removeAll(lost);
    }

    /** Whether all are settled. */
    boolean isOver() {
        return unsettled.isEmpty();
    }

    /** Since when SQS has them down as given to us. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - since);
    }
}
