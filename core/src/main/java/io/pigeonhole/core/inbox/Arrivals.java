package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one transaction stores of its messages. It is decided in any order, but the rows of an ordering key have to be
 * written in the order in which its messages arrived, because that is the order in which they are worked on.
 */
final class Arrivals {
    private static final int DEAD = 0;
    private static final int PARKED = 1;
    private static final int RECEIVED = 2;
    private static final int KINDS = 3;

    private final RegisteredConsumer consumer;
    private final List<Arrival> all = new ArrayList<>();

    private record Arrival(Envelope envelope, int kind, Object row) {}

    Arrivals(RegisteredConsumer consumer) {
        this.consumer = consumer;
    }

    void add(Envelope envelope, DeadLetter letter) {
        all.add(new Arrival(envelope, DEAD, letter));
    }

    void add(Envelope envelope, ParkedMessage parked) {
        all.add(new Arrival(envelope, PARKED, parked));
    }

    void add(Envelope envelope, ReceivedMessage received) {
        all.add(new Arrival(envelope, RECEIVED, received));
    }

    /** Writes each kind in one statement, and only where the order of a key asks for it in more. */
    void write(InboxTransaction<?> transaction, List<Envelope> group) {
        if (all.isEmpty()) {
            return;
        }
        steps(group).forEach((step, arrivals) -> {
            switch (step % KINDS) {
                case DEAD -> transaction.deadLetter(consumer, rows(arrivals, DeadLetter.class));
                case PARKED -> transaction.park(consumer, rows(arrivals, ParkedMessage.class));
                default -> transaction.receive(consumer, rows(arrivals, ReceivedMessage.class));
            }
        });
    }

    /** Along a key the steps never go back. */
    private Map<Integer, List<Arrival>> steps(List<Envelope> group) {
        Map<Envelope, Integer> places = places(group);
        all.sort(Comparator.comparing(arrival -> places.getOrDefault(arrival.envelope(), Integer.MAX_VALUE)));
        Map<Integer, List<Arrival>> steps = new TreeMap<>();
        Map<OrderingKey, Integer> lastOfKey = new HashMap<>();
        for (Arrival arrival : all) {
            OrderingKey key = consumer.order().isKept()
                    ? OrderingKey.of(arrival.envelope().message())
                    : null;
            int step = arrival.kind();
            if (key != null) {
                int last = lastOfKey.getOrDefault(key, 0);
                step += last - last % KINDS;
                step += step < last ? KINDS : 0;
                lastOfKey.put(key, step);
            }
            steps.computeIfAbsent(step, any -> new ArrayList<>()).add(arrival);
        }
        return steps;
    }

    /** Where in the group each of its messages is. */
    static Map<Envelope, Integer> places(List<Envelope> group) {
        Map<Envelope, Integer> places = new HashMap<>();
        group.forEach(envelope -> places.put(envelope, places.size()));
        return places;
    }

    private static <R> List<R> rows(List<Arrival> arrivals, Class<R> type) {
        return arrivals.stream().map(arrival -> type.cast(arrival.row())).toList();
    }
}
