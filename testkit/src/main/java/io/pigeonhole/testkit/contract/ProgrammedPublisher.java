package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.relay.Publication;
import io.pigeonhole.core.relay.Publisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A publisher that does as a test says, and remembers what it has published. Safe for use by many threads. */
final class ProgrammedPublisher implements Publisher {
    private final List<Message> published = new CopyOnWriteArrayList<>();
    private final List<List<String>> calls = new CopyOnWriteArrayList<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final Set<String> unavailable = ConcurrentHashMap.newKeySet();
    private volatile boolean away;
    private volatile boolean broken;
    private volatile Runnable whenCalled = () -> {};

    @Override
    public String name() {
        return "a publisher of a test";
    }

    /** Refuses the messages of a payload from now on. */
    void refuse(String payload) {
        refused.add(payload);
    }

    void accept(String payload) {
        refused.remove(payload);
    }

    /** Is away for the messages of a payload only, or no more. */
    void awayFor(String payload, boolean isAway) {
        if (isAway) {
            unavailable.add(payload);
        } else {
            unavailable.remove(payload);
        }
    }

    void away(boolean isAway) {
        away = isAway;
    }

    /** Throws from now on, or no more. */
    void broken(boolean isBroken) {
        broken = isBroken;
    }

    /** Runs something in each call from now on. */
    void whenCalled(Runnable toRun) {
        whenCalled = toRun;
    }

    @Override
    public List<Publication> publish(List<Message> messages, Duration timeout) {
        whenCalled.run();
        calls.add(messages.stream().map(ProgrammedPublisher::payload).toList());
        Set<OrderingKey> keys = new HashSet<>();
        messages.forEach(message -> {
            OrderingKey key = OrderingKey.of(message);
            if (key != null && !keys.add(key)) {
                throw new IllegalArgumentException("two messages of one key in one call");
            }
        });
        if (broken) {
            throw new NoClassDefFoundError("a defect of the publisher");
        }
        List<Publication> outcomes = new ArrayList<>();
        for (Message message : messages) {
            if (away || unavailable.contains(payload(message))) {
                outcomes.add(new Publication.Unavailable(new IllegalStateException("away")));
            } else if (refused.contains(payload(message))) {
                outcomes.add(new Publication.Refused(new IllegalArgumentException("no " + payload(message))));
            } else {
                published.add(message);
                outcomes.add(Publication.CONFIRMED);
            }
        }
        return outcomes;
    }

    static String payload(Message message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    /** What is confirmed, in order. */
    List<Message> published() {
        return List.copyOf(published);
    }

    List<String> payloads() {
        return published.stream().map(ProgrammedPublisher::payload).toList();
    }

    /** The payloads of each call. */
    List<List<String>> calls() {
        return List.copyOf(calls);
    }
}
