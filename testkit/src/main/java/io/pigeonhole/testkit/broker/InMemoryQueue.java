package io.pigeonhole.testkit.broker;

import io.pigeonhole.core.message.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Messages in their order, and those that were delivered until they are acknowledged. Safe for use by many threads. */
final class InMemoryQueue {
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Place> ready = new ArrayDeque<>();
    private final SortedMap<Long, Delivery> delivered = new TreeMap<>();
    private long sent;
    private int generation;

    /** A message at its place in the queue, and how often it was delivered. */
    private record Place(long number, Message message, int deliveries) {}

    /**
     * A message that somebody has.
     *
     * @param place its number in the queue
     * @param message as it is delivered
     * @param generation of the connection that it was delivered on
     * @param receiver whom it was delivered to
     */
    record Delivery(long place, Message message, int generation, Object receiver) {}

    InMemoryQueue(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    void add(Message message) {
        lock.lock();
        try {
            sent++;
            ready.addLast(new Place(sent, message, 0));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The next message, or null if there is none in time. */
    @Nullable
    Delivery take(Object receiver, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (ready.isEmpty()) {
                if (left <= 0) {
                    return null;
                }
                left = changed.awaitNanos(left);
            }
            Place next = ready.removeFirst();
            Delivery delivery = new Delivery(next.number(), asDelivered(next), generation, receiver);
            delivered.put(next.number(), delivery);
            return delivery;
        } finally {
            lock.unlock();
        }
    }

    private Message asDelivered(Place place) {
        Message sentMessage = place.message();
        return Message.builder(name)
                .id(sentMessage.id())
                .type(sentMessage.type())
                .orderingKey(sentMessage.orderingKey())
                .headers(sentMessage.headers())
                .contentType(sentMessage.contentType())
                .payload(sentMessage.isTombstone() ? null : sentMessage.payload())
                .origin(name + " " + place.number())
                .deliveries(place.deliveries() + 1)
                .build();
    }

    /** Counts only on the connection of the delivery. */
    void acknowledge(Delivery delivery) {
        lock.lock();
        try {
            if (delivery.generation() == generation) {
                delivered.remove(delivery.place(), delivery);
            }
        } finally {
            lock.unlock();
        }
    }

    /** All that was delivered and not acknowledged is delivered again, before the rest and in its order. */
    void takeBack() {
        lock.lock();
        try {
            generation++;
            takeBack(null);
        } finally {
            lock.unlock();
        }
    }

    /** What one receiver has. */
    void leave(Object receiver) {
        lock.lock();
        try {
            takeBack(receiver);
        } finally {
            lock.unlock();
        }
    }

    private void takeBack(@Nullable Object receiver) {
        Deque<Place> back = new ArrayDeque<>();
        delivered.values().removeIf(delivery -> {
            boolean taken = receiver == null || delivery.receiver().equals(receiver);
            if (taken) {
                back.addFirst(new Place(
                        delivery.place(), delivery.message(), delivery.message().deliveries()));
            }
            return taken;
        });
        back.forEach(ready::addFirst);
        changed.signalAll();
    }

    /** For receivers that wait for more than messages. */
    int generation() {
        lock.lock();
        try {
            return generation;
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return ready.size() + delivered.size();
        } finally {
            lock.unlock();
        }
    }
}
