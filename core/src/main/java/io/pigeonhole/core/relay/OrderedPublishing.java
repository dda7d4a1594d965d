package io.pigeonhole.core.relay;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages in order per key: the next one of a key when the one before is confirmed, those of other keys at the same time. What
 * is behind one that is refused is not tried. Used by one thread, once.
 */
final class OrderedPublishing {
    private final Publisher publisher;
    private final boolean inOrder;
    private final int most;
    private final LongSupplier nanos;
    private final List<Message> messages;
    private final List<@Nullable Publication> outcomes;
    private @Nullable Throwable unavailable;
    private boolean confirmed;

    /** @param most how many messages are tried; where there are more, some at random that nothing is before, and no others */
    OrderedPublishing(Publisher publisher, boolean inOrder, List<Message> messages, int most, LongSupplier nanos) {
        this.publisher = publisher;
        this.inOrder = inOrder;
        this.most = most;
        this.nanos = nanos;
        this.messages = messages;
        this.outcomes = new ArrayList<>(Collections.nCopies(messages.size(), null));
    }

    /**
     * Publishes as much as it can within a time. Nothing is begun in its second half: with too little time left, a broker that answers
     * would look as if it did not.
     */
    OrderedPublishing run(Duration timeout) {
        long end = nanos.getAsLong() + timeout.toNanos();
        long half = timeout.toNanos() / 2;
        Map<OrderingKey, Deque<Integer>> behind = new LinkedHashMap<>();
        List<Integer> next = some(first(behind), behind);
        while (!next.isEmpty()) {
            publish(next, Duration.ofNanos(end - nanos.getAsLong()));
            if (unavailable != null || end - nanos.getAsLong() < half) {
                break;
            }
            next = following(behind);
        }
        return this;
    }

    /** Those that nothing is before; all others of their keys are kept. */
    private List<Integer> first(Map<OrderingKey, Deque<Integer>> behind) {
        List<Integer> first = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            OrderingKey key = inOrder ? OrderingKey.of(messages.get(i)) : null;
            if (key == null) {
                first.add(i);
                continue;
            }
            Deque<Integer> others = behind.get(key);
            if (others == null) {
                behind.put(key, new ArrayDeque<>(List.of(i)));
                first.add(i);
            } else {
                others.add(i);
            }
        }
        return first;
    }

    private List<Integer> some(List<Integer> first, Map<OrderingKey, Deque<Integer>> behind) {
        if (messages.size() <= most) {
            return first;
        }
        behind.clear();
        List<Integer> shuffled = new ArrayList<>(first);
        Collections.shuffle(shuffled);
        return shuffled.stream().limit(most).sorted().toList();
    }

    /** The next of each key whose last one is confirmed. */
    private List<Integer> following(Map<OrderingKey, Deque<Integer>> behind) {
        List<Integer> next = new ArrayList<>();
        behind.values().removeIf(ofKey -> {
            Integer last = ofKey.poll();
            return last == null || ofKey.isEmpty() || !isConfirmed(last);
        });
        behind.values().forEach(ofKey -> next.add(ofKey.element()));
        return next;
    }

    private boolean isConfirmed(int index) {
        return outcomes.get(index) instanceof Publication.Confirmed;
    }

    private void publish(List<Integer> indexes, Duration timeout) {
        List<Message> some = indexes.stream().map(messages::get).toList();
        List<Publication> published = published(some, timeout);
        for (int i = 0; i < some.size(); i++) {
            Publication outcome = published.get(i);
            outcomes.set(indexes.get(i), outcome);
            if (outcome instanceof Publication.Unavailable broker) {
                unavailable = broker.cause();
            }
            // A refusal may be its client's, which has not asked it.
            confirmed |= outcome instanceof Publication.Confirmed;
        }
    }

    /** Whatever a publisher throws or forgets: it is not known that the broker has the messages. */
    private List<Publication> published(List<Message> some, Duration timeout) {
        try {
            List<Publication> published = publisher.publish(some, timeout);
            if (published.size() != some.size() || published.stream().anyMatch(Objects::isNull)) {
                throw new IllegalStateException("the publisher " + publisher.name()
                        + " does not say what became of each of " + some.size() + " messages: a defect of it");
            }
            return published;
        } catch (Throwable e) {
            return Collections.nCopies(some.size(), new Publication.Unavailable(e));
        }
    }

    /** Whether the broker has confirmed a message. */
    boolean hasConfirmed() {
        return confirmed;
    }

    /** What became of a message; null where it was not tried. */
    @Nullable
    Publication outcome(int index) {
        return outcomes.get(index);
    }

    /** Why the broker takes nothing, or null. */
    @Nullable
    Throwable unavailable() {
        return unavailable;
    }
}
