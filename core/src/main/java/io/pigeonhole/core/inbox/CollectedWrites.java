package io.pigeonhole.core.inbox;

import io.pigeonhole.core.store.Backlog.Due;
import io.pigeonhole.core.store.Backlog.Kind;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rows that one transaction writes about its messages before the commit, each kind in as few statements as their order allows. */
final class CollectedWrites {
    private final RegisteredConsumer consumer;
    private final Arrivals arrivals;
    private final List<PostponedItem> postponed = new ArrayList<>();
    private final List<WorkItem> toBeLeased = new ArrayList<>();
    private final List<WorkItem> done = new ArrayList<>();
    private final List<Finished> finished = new ArrayList<>();
    private final Set<Due> due = new HashSet<>();

    private record Finished(Envelope envelope, FinishedMessage message) {}

    CollectedWrites(RegisteredConsumer consumer) {
        this.consumer = consumer;
        this.arrivals = new Arrivals(consumer);
    }

    void deadLetter(Envelope envelope, DeadLetter letter) {
        arrivals.add(envelope, letter);
    }

    void receive(Envelope envelope, ReceivedMessage received) {
        arrivals.add(envelope, received);
        workIsDue(envelope, Kind.of(received.byLease()), Duration.ZERO);
    }

    /** A delivery that is tried again later. */
    void park(Envelope envelope, ParkedMessage parked) {
        arrivals.add(envelope, parked);
        workIsDue(envelope, Kind.of(false), parked.dueIn());
    }

    /** A message in work that is tried again later. */
    void postpone(Envelope envelope, PostponedItem item) {
        postponed.add(item);
        workIsDue(envelope, Kind.of(item.item().byLease()), item.dueIn());
    }

    void requireLease(Envelope envelope, WorkItem item) {
        toBeLeased.add(item);
        workIsDue(envelope, Kind.BY_LEASE, Duration.ZERO);
    }

    /** The message leaves the work. */
    void finish(WorkItem item) {
        done.add(item);
    }

    /** The history notes that the message is finished. */
    void record(Envelope envelope, FinishedMessage message) {
        finished.add(new Finished(envelope, message));
    }

    /** A worker will find the message. */
    void workIsDue(Envelope envelope, Kind kind, Duration in) {
        due.add(new Due(consumer, kind, consumer.workPartitionOf(envelope.message(), envelope.key()), in));
    }

    /** Where the workers will find the messages that are kept to be worked on later. */
    Set<Due> due() {
        return due;
    }

    /** Writes everything; the group says in which order the messages arrived. */
    void write(InboxTransaction<?> transaction, List<Envelope> group) {
        arrivals.write(transaction, group);
        if (!postponed.isEmpty()) {
            transaction.postpone(consumer, postponed);
        }
        if (!toBeLeased.isEmpty()) {
            transaction.requireLease(consumer, toBeLeased);
        }
        if (!done.isEmpty()) {
            transaction.finish(consumer, done);
        }
        if (!finished.isEmpty()) {
            transaction.record(consumer, inOrder(group));
        }
    }

    /** Of arrival, which a replay keeps: what is ignored was decided about before the handlers of others ran. */
    private List<FinishedMessage> inOrder(List<Envelope> group) {
        Map<Envelope, Integer> places = Arrivals.places(group);
        return finished.stream()
                .sorted(Comparator.comparing(each -> places.getOrDefault(each.envelope(), Integer.MAX_VALUE)))
                .map(Finished::message)
                .toList();
    }
}
