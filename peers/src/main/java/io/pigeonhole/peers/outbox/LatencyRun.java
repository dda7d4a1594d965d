package io.pigeonhole.peers.outbox;

import io.pigeonhole.benchmarks.suite.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How long it takes from a commit to the broker's confirmation where events come at a rate of their own. The first fifth does not count.
 *
 * @param name whose latency, and how the events come
 * @param writers who commits
 * @param eventsPerSecond how many events come, whatever becomes of them
 * @param events how many in all
 * @param p99Target the most that 99 of 100 events may take in milliseconds, 0 for no target
 */
record LatencyRun(
        String name,
        RelayPath path,
        Writers writers,
        double eventsPerSecond,
        int events,
        double p99Target,
        Ground ground) {
    private static final double NEARLY = 0.95;

    List<Figure> measure() throws Exception {
        ground.reset(path.tables());
        try (Topic topic = Topic.create(ground.broker())) {
            Flights flights = new Flights(events + 1);
            try (RelayPath.Running running = path.start(topic.name(), flights)) {
                Throughput.first(running, flights);
                long nanos = writers.commit(running, flights, 1, events + 1, writers.at(eventsPerSecond));
                flights.await(events + 1, Throughput.TIMEOUT);
                return figures(flights, events * 1e9 / nanos);
            }
        }
    }

    private List<Figure> figures(Flights flights, double came) {
        Latencies latencies = flights.latencies(1 + events / 5, events + 1);
        String who = String.format(Locale.ROOT, "%s, %,.0f events/s offered", name, eventsPerSecond);
        String latency = who + ": commit to confirmation";
        double p99 = latencies.percentile(99);
        boolean isOffered = came >= NEARLY * eventsPerSecond;
        List<Figure> figures = new ArrayList<>();
        figures.add(
                Figure.atLeast(who + ": committed", came, "events/s", p99Target > 0 ? NEARLY * eventsPerSecond : 0));
        figures.add(Figure.of(latency + ", p50", latencies.percentile(50), "ms"));
        // A machine that could not even offer so many has not shown how long so many take.
        figures.add(Figure.atMost(latency + ", p99", p99, "ms", isOffered ? p99Target : 0));
        figures.add(Figure.of(latency + ", longest", latencies.percentile(100), "ms"));
        return figures;
    }
}
