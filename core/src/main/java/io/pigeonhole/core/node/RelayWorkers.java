package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.relay.Relay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The workers of each relay of a node, which look for work by themselves, so that a broker that is slow or away keeps no other
 * destination waiting. Safe for use by many threads.
 *
 * @param all the relays with their workers
 */
record RelayWorkers(List<OfOne> all) {
    /** A relay and its workers. */
    private record OfOne(Relay relay, Workers workers) {}

    static RelayWorkers of(Collection<Relay> relays, Duration pollInterval) {
        return new RelayWorkers(relays.stream()
                .map(relay -> new OfOne(
                        relay,
                        new Workers(
                                relay.backlog(),
                                List.of(relay.forNodes()),
                                new WorkerSettings(relay.concurrency(), 1, pollInterval))))
                .toList());
    }

    void start() {
        all.forEach(one -> one.workers().start());
    }

    /** Whether one waits for the database. */
    boolean isWaiting() {
        return all.stream().anyMatch(one -> one.workers().isWaiting());
    }

    /** What keeps messages from being published, as sentences. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (OfOne one : all) {
            String name = one.relay().name();
            one.relay().problem().ifPresent(problem -> problems.add(name + ": the broker takes nothing: " + problem));
            if (one.workers().isWaiting()) {
                problems.add(name + " waits: " + one.workers().problem());
            }
            problems.addAll(one.workers().refusedForLong());
            Throwable failure = one.workers().failure();
            if (failure != null) {
                problems.add(name + ": " + FailureText.describe(failure));
            }
        }
        return problems;
    }

    /** Why not all of one's work can be done, until there is a new process; or null. */
    @Nullable
    Throwable failure() {
        return all.stream()
                .map(one -> one.workers().failure())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    void close() {
        Closing.all(all, one -> one.workers().close());
    }
}
