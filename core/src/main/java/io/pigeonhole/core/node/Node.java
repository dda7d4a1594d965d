package io.pigeonhole.core.node;

import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns everything that runs in the background of one process: the sources, the workers, and the maintenance of the
 * store. Safe for use by
 * many threads.
 *
 * <p>Its threads are daemons: they do not keep the process alive. A process that dies loses nothing, and needs no node
 * closed: what was not acknowledged is delivered again and settles.
 */
public final class Node implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Node.class);

    /** Each source bounds its own closing, by settings of its own. */
    private static final Duration LONGEST_CLOSE = Duration.ofDays(365);

    private final List<Source> sources;
    private final Workers workers;
    private final Janitor janitor;
    private final Guard guard;
    private final Watch watch;
    private final AtomicBoolean closed = new AtomicBoolean();

    Node(List<Source> sources, Workers workers, Janitor janitor, Guard guard, Watch watch) {
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

    void start() {
        try {
            guard.refuse();
            janitor.start();
            watch.start();
            workers.start();
            for (Source source : sources) {
                source.start();
                log.info("{} is started", source.name());
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
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
                || sources.stream().anyMatch(source -> source.state() == SourceState.WAITING_FOR_STORE);
        return open ? Circuit.OPEN : Circuit.CLOSED;
    }

    /**
     * Why something of this node gave up by itself: a source or one of its queues, such as for a wrong configuration, or threads for messages under
     * leases, because too many of them hang in handlers that no interrupt ends. The others go on.
     *
     * @return the failure of the first source that has one, or that of the threads
     */
    public Optional<Throwable> failure() {
        return Stream.concat(
                        sources.stream().map(Source::failure),
                        Stream.of(workers).map(Workers::failure))
                .filter(Objects::nonNull)
                .findFirst();
    }

    /**
     * Closes the sources, all at the same time, then the rest in the reverse order of its start, gracefully and within a bounded
     * time. May be called again.
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        closeSources();
        workers.close();
        watch.close();
        janitor.close();
    }

    /** A source that takes its whole time, such as one whose broker does not answer, keeps no other from closing. */
    private void closeSources() {
        if (sources.size() == 1) {
            close(sources.get(0));
            return;
        }
        List<Thread> closing = new ArrayList<>();
        for (Source source : sources) {
            Thread thread = new Thread(() -> close(source), "pigeonhole-close");
            thread.setDaemon(true);
            try {
                thread.start();
                closing.add(thread);
            } catch (OutOfMemoryError e) {
                // No more threads: here, then.
                close(source);
            }
        }
        closing.forEach(thread -> BoundedWait.join(thread, LONGEST_CLOSE));
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
