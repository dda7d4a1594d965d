package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.store.InboxStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns everything that runs in the background of one process: the sources, the workers, the relays, and the maintenance of the
 * store. Safe for use by
 * many threads.
 *
 * <p>Its threads are daemons: they do not keep the process alive. A process that dies loses nothing, and needs no node
 * closed: what was not acknowledged is delivered again and settles.
 */
public final class Node implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Node.class);

    private final List<Source> sources;
    private final Workers workers;
    private final RelayWorkers relays;
    private final Janitor janitor;
    private final Guard guard;
    private final Watch watch;
    private final String settings;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean started;

    /** The settings are those that people read about at the start. */
    Node(
            List<Source> sources,
            Workers workers,
            RelayWorkers relays,
            Janitor janitor,
            Guard guard,
            Watch watch,
            String settings) {
        this.settings = settings;
        this.relays = relays;
        this.watch = watch;
        this.sources = sources;
        this.guard = guard;
        this.workers = workers;
        this.janitor = janitor;
    }

    /**
     * Begins a node.
     *
     * @param store the store that it maintains and works on
     * @return a builder with nothing else set
     */
    public static NodeBuilder builder(InboxStore<?> store) {
        return new NodeBuilder(store);
    }

    /**
     * Maintains the store once, then starts everything. Does not wait for brokers. A node is started once: whoever stops and starts again,
     * as frameworks do, builds another one, with other sources.
     *
     * @throws io.pigeonhole.core.failure.ConfigurationException if the window guard refuses, or a source does; what was started is closed
     * @throws io.pigeonhole.core.failure.PigeonholeException if the store cannot be maintained; nothing was started, and the node is closed
     * @throws IllegalStateException if it was started or closed before
     */
    public void start() {
        if (closed.get() || begun.getAndSet(true)) {
            throw new IllegalStateException(
                    "the node was started or closed before; build another one, with new sources");
        }
        try {
            guard.refuse();
            janitor.start();
            watch.start();
            workers.start();
            relays.start();
            for (Source source : sources) {
                source.start();
                log.info("{} is started", source.name());
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        started = true;
        log.info("node is started: {}", settings);
    }

    /**
     * Whether the node does all that it is to do, as of now and as far as it knows: asks no database and no broker, so that a probe may
     * call it every second. What it says of the database and of brokers is what was met at the last attempt.
     *
     * @return healthy, or the reasons why not
     */
    public NodeHealth health() {
        List<String> reasons = new ArrayList<>();
        if (closed.get()) {
            reasons.add("the node is closed");
        } else if (!started) {
            reasons.add("the node is not started");
        } else {
            sources.forEach(source -> addTo(reasons, source));
            if (workers.isWaiting()) {
                String problem = workers.problem();
                reasons.add("the workers wait: "
                        + (problem == null ? "the database is away or refuses to commit" : problem));
            }
            reasons.addAll(workers.refusedForLong());
            reasons.addAll(watch.slowBatches());
            reasons.addAll(relays.problems());
            addTo(reasons, "threads of the workers are lost", workers.failure());
            addTo(reasons, "the store could not be maintained at the last try", janitor.failure());
        }
        return reasons.isEmpty() ? new NodeHealth.Healthy() : new NodeHealth.Unhealthy(reasons);
    }

    private static void addTo(List<String> reasons, Source source) {
        SourceState state = source.state();
        Throwable failure = source.failure();
        if (state == SourceState.RUNNING && failure == null) {
            return;
        }
        List<String> problems = source.problems();
        reasons.add(source.name() + " is " + state + (problems.isEmpty() ? "" : ": " + String.join("; ", problems)));
        addTo(reasons, source.name() + (state == SourceState.FAILED ? " gave up" : " needs a new start"), failure);
    }

    private static void addTo(List<String> reasons, String what, @Nullable Throwable failure) {
        if (failure != null) {
            reasons.add(what + ": " + FailureText.describe(failure));
        }
    }

    /**
     * The sources that this node runs, for health reports.
     *
     * @return the sources, unmodifiable
     */
    public List<Source> sources() {
        return sources;
    }

    /**
     * What the window guard found at its last look, of each source.
     *
     * @return the verdicts; none before the first look, and where the guard is off
     */
    public List<WindowVerdict> windowVerdicts() {
        return guard.verdicts();
    }

    /**
     * Whether the database is used, as far as the sources and workers of this node know from their last attempt.
     *
     * @return open while one of them waits for the database
     */
    public Circuit circuit() {
        boolean open = workers.isWaiting()
                || relays.isWaiting()
                || sources.stream().anyMatch(source -> source.state() == SourceState.WAITING_FOR_STORE);
        return open ? Circuit.OPEN : Circuit.CLOSED;
    }

    /**
     * Why something of this node gave up by itself: a source or one of its queues, such as for a wrong configuration, or threads of the workers or
     * of a relay, because too many of them hang in handlers that no interrupt ends. The others go on. Only a person and a new start mend it.
     *
     * @return the failure of the first source that has one, or that of the threads; null where nothing gave up, as {@link Source#failure}
     */
    public @Nullable Throwable failure() {
        return sources.stream()
                .map(Source::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .or(() -> Optional.ofNullable(workers.failure()))
                .orElseGet(relays::failure);
    }

    /**
     * Closes the sources, all at the same time, then the rest in the reverse order of its start, gracefully and within a bounded
     * time. May be called again, and before {@link #start}, which is refused then.
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        Closing.all(sources, Node::close);
        workers.close();
        relays.close();
        watch.close();
        janitor.close();
    }

    private static void close(Source source) {
        try {
            source.close();
        } catch (Throwable e) {
            log.warn(
                    "{} did not close well; the others are closed all the same",
                    source.name(),
                    FailureText.readable(e));
        }
    }
}
