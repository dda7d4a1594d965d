package io.pigeonhole.core.relay;

import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.inbox.UnknownType;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A relay as a node's workers see it: messages of the outbox and messages that wait for another attempt are both its work. No code of the
 * application runs in it, so that nothing hangs but a publisher, which has a timeout.
 */
final class RelayInbox implements NodeInbox, Backlog {
    /** How long a work partition is left to a relay elsewhere that was found in it. */
    private static final Duration WHILE_TAKEN = Duration.ofMillis(50);

    private static final Duration LONGEST_WHILE_TAKEN = Duration.ofSeconds(2);

    private final InboxStore<?> store;
    private final RegisteredConsumer consumer;
    private final String destination;
    private final RelayRun run;
    private final BrokerCircuit circuit;
    private final int full;
    private final LongSupplier nanos;
    private final List<Consumer<Set<Due>>> listeners = new CopyOnWriteArrayList<>();
    /** Work partitions in which messages wait for another attempt, as of the last look. */
    private final Set<Integer> withRetries = ConcurrentHashMap.newKeySet();

    /** In which work partitions messages come next that were tried before. */
    private final Map<Integer, Boolean> retriesNext = new ConcurrentHashMap<>();

    private final Map<Integer, Taken> taken = new ConcurrentHashMap<>();

    /**
     * A relay elsewhere was found in a work partition.
     *
     * @param until to whom it is left until then
     * @param pause for how long
     */
    private record Taken(long until, Duration pause) {}

    RelayInbox(
            InboxStore<?> store,
            RegisteredConsumer consumer,
            String destination,
            RelayRun run,
            BrokerCircuit circuit,
            int batchSize,
            LongSupplier nanos) {
        this.full = Math.max(1, batchSize / 2);
        this.store = store;
        this.consumer = consumer;
        this.destination = destination;
        this.run = run;
        this.circuit = circuit;
        this.nanos = nanos;
    }

    @Override
    public List<Due> due(Collection<RegisteredConsumer> consumers) {
        List<Due> due = new ArrayList<>();
        Set<BrokerCircuit.Place> places = new HashSet<>();
        boolean isAnyDue = false;
        for (Due retry : store.due(consumers)) {
            if (retry.kind() == Kind.ORDINARY) {
                int workPartition = retry.workPartition();
                if (retry.in().isZero()) {
                    withRetries.add(workPartition);
                    isAnyDue = true;
                }
                BrokerCircuit.Place place = new BrokerCircuit.Place(workPartition, true);
                places.add(place);
                Duration notBefore = circuit.opensIn(place);
                due.add(due(workPartition, retry.in().compareTo(notBefore) < 0 ? notBefore : retry.in()));
            }
        }
        for (int workPartition : store.appendedTo(destination)) {
            BrokerCircuit.Place place = new BrokerCircuit.Place(workPartition, false);
            places.add(place);
            due.add(due(workPartition, circuit.opensIn(place)));
            isAnyDue = true;
        }
        circuit.onlyAt(places);
        if (!isAnyDue) {
            circuit.nothingToPublish();
        }
        // What is tried first while the broker is away may be what is never taken.
        Collections.shuffle(due);
        return due;
    }

    private Due due(int workPartition, Duration in) {
        return new Due(consumer, Kind.ORDINARY, workPartition, in);
    }

    @Override
    public int work(Due due, BooleanSupplier ending, Progress progress) {
        int workPartition = due.workPartition();
        if (isTakenByOthers(workPartition)) {
            return 0;
        }
        int brought = work(workPartition);
        if (brought == RelayRun.TAKEN) {
            lookAgainBehindOthers(workPartition);
            return 0;
        }
        taken.remove(workPartition);
        return brought;
    }

    /** Whoever is in it may have looked before what is to be done here was committed. */
    private void lookAgainBehindOthers(int workPartition) {
        Taken before = taken.get(workPartition);
        Duration pause = before == null || before.pause().compareTo(LONGEST_WHILE_TAKEN) >= 0
                ? WHILE_TAKEN
                : before.pause().multipliedBy(4);
        taken.put(workPartition, new Taken(nanos.getAsLong() + pause.toNanos(), pause));
        signal(workPartition, pause);
    }

    /** Behind a small batch there is little: what is appended meanwhile is heard of, or found by the next look, which comes soon. */
    @Override
    public boolean mayHaveMore(Due due, int brought) {
        return brought >= full || withRetries.contains(due.workPartition());
    }

    /** Others had it a moment ago: the look that is planned already finds what there is. */
    private boolean isTakenByOthers(int workPartition) {
        Taken by = taken.get(workPartition);
        return by != null && nanos.getAsLong() - by.until() < 0;
    }

    /** Both kinds of messages, in turns, so that neither waits for all of the other, nor for a broker that does not take the other. */
    private int work(int workPartition) {
        boolean retriesFirst = retriesNext.getOrDefault(workPartition, true);
        retriesNext.put(workPartition, !retriesFirst);
        int first = retriesFirst ? retry(workPartition) : publish(workPartition);
        if (first == RelayRun.TAKEN) {
            return first;
        }
        int second = retriesFirst ? publish(workPartition) : retry(workPartition);
        return second == RelayRun.TAKEN ? first : first + second;
    }

    private int publish(int workPartition) {
        return run.publish(workPartition, in -> signalRetry(workPartition, in));
    }

    private int retry(int workPartition) {
        if (!withRetries.remove(workPartition)) {
            return 0;
        }
        int retried = run.retry(workPartition, in -> signalRetry(workPartition, in));
        if (retried != 0) {
            withRetries.add(workPartition);
        }
        return retried;
    }

    private void signalRetry(int workPartition, Duration in) {
        if (in.isZero()) {
            withRetries.add(workPartition);
        }
        signal(workPartition, in);
    }

    private void signal(int workPartition, Duration in) {
        listeners.forEach(listener -> listener.accept(Set.of(due(workPartition, in))));
    }

    @Override
    public Runnable whenWorkIsStored(Consumer<Set<Due>> listener) {
        listeners.add(listener);
        Runnable end = store.whenAppended((to, workPartitions) -> {
            if (to.equals(destination)) {
                listener.accept(workPartitions.stream()
                        .map(workPartition -> due(workPartition, Duration.ZERO))
                        .collect(Collectors.toSet()));
            }
        });
        return () -> {
            end.run();
            listeners.remove(listener);
        };
    }

    @Override
    public RegisteredConsumer registered() {
        return consumer;
    }

    @Override
    public boolean isOf(InboxStore<?> other) {
        return store == other;
    }

    @Override
    public boolean hasHandlers() {
        return true;
    }

    @Override
    public UnknownType unknownType() {
        return UnknownType.DEAD_LETTER;
    }

    @Override
    public void lookAtBatches() {}

    @Override
    public void leaseWhatHangs() {}

    @Override
    public List<String> slowBatches() {
        return List.of();
    }

    @Override
    public void reportOutcomes() {}

    @Override
    public void stopLeases(Predicate<Thread> workers) {}

    @Override
    public Map<Thread, Message> hangingThreads() {
        return Map.of();
    }
}
