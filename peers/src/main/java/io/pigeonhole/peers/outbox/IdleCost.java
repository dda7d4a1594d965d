package io.pigeonhole.peers.outbox;

import io.pigeonhole.benchmarks.suite.CpuTime;
import io.pigeonhole.benchmarks.suite.Figure;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;

/**
 * What a node with a relay costs that has nothing to do. It sleeps, as there is nothing to wait for: what is measured is a time in which
 * nothing happens.
 *
 * @param duration for how long it is looked at
 */
record IdleCost(RelayPath path, Ground ground, Duration duration) {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Looks for work become rarer over so long. */
    private static final Duration SETTLING = Duration.ofSeconds(5);

    /** What ends in the server while it is asked, this question included. */
    private static final String TRANSACTIONS =
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";

    List<Figure> measure() throws Exception {
        ground.reset(path.tables());
        try (Topic topic = Topic.create(ground.broker())) {
            Flights flights = new Flights(1);
            try (RelayPath.Running running = path.start(topic.name(), flights)) {
                Throughput.first(running, flights);
                Thread.sleep(SETTLING.toMillis());
                long transactions = ground.ask(TRANSACTIONS);
                long client = ofNode();
                CpuTime server = ground.cpuTime();
                Thread.sleep(duration.toMillis());
                double serverNanos = ground.cpuTime().since(server).server();
                double clientNanos = ofNode() - client;
                double ended = ground.ask(TRANSACTIONS) - transactions - 2;
                double seconds = duration.toNanos() / 1e9;
                return List.of(
                        Figure.of("idle node with a relay: transactions of the database", ended / seconds, "/s"),
                        Figure.of("idle node with a relay: its threads", clientNanos / 1e6 / seconds, "ms of CPU/s"),
                        Figure.of("idle node with a relay: the server", serverNanos / 1e6 / seconds, "ms of CPU/s"));
            }
        }
    }

    /** Processor time of the threads of nodes and publishers: the broker runs in this process, too. */
    private static long ofNode() {
        long nanos = 0;
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith("pigeonhole")) {
                nanos += THREADS.getThreadCpuTime(thread.getThreadId());
            }
        }
        return nanos;
    }
}
