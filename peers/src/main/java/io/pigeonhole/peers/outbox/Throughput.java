package io.pigeonhole.peers.outbox;

import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Measurement;
import io.pigeonhole.benchmarks.suite.Variant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Events as fast as they are published: from the first transaction until all are confirmed and deleted. Two threads append a hundred in
 * each transaction and wait while ten thousand are not confirmed, so that nothing is ahead of what publishes by more.
 *
 * @param name the variant's name
 * @param path what publishes
 * @param events how many
 */
record Throughput(String name, RelayPath path, int events, Ground ground) implements Variant {
    private static final Writers WRITERS = new Writers(2, 100);
    private static final int MOST_UNCONFIRMED = 10_000;
    private static final long STEP_NANOS = 1_000_000;
    static final Duration TIMEOUT = Duration.ofMinutes(3);

    @Override
    public Measurement measure() throws Exception {
        ground.reset(path.tables());
        try (Topic topic = Topic.create(ground.broker())) {
            Flights flights = new Flights(events);
            long nanos;
            CpuTime spent;
            try (RelayPath.Running running = path.start(topic.name(), flights)) {
                first(running, flights);
                CpuTime before = ground.cpuTime();
                long began = System.nanoTime();
                var unusedNanos =
                        WRITERS.commit(running, flights, 1, events, Writers.fewerThan(MOST_UNCONFIRMED, flights));
                flights.await(events, TIMEOUT);
                while (ground.ask(path.left()) > 0) {
                    LockSupport.parkNanos(STEP_NANOS);
                }
                nanos = System.nanoTime() - began;
                spent = ground.cpuTime().since(before);
            }
            String violation = topic.violation(events, path.isOrdered());
            return new Measurement(events - 1L, events - 1L, nanos, spent, violation);
        }
    }

    /** It has begun to publish, and has its connections. */
    static void first(RelayPath.Running running, Flights flights) throws Exception {
        List<Event> events = List.of(new Event(0));
        running.commit(events, () -> flights.committing(events));
        flights.await(1, TIMEOUT);
    }
}
