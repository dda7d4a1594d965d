package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the messages of RabbitMQ queues, classic or quorum, to an inbox. A message is acknowledged only after the database
 * has committed, on the channel that it came on; whatever the broker delivers again, the inbox recognises as a duplicate.
 *
 * <p>Each queue has a connection and a thread of its own and is consumed with a prefetch limit. The source outlasts lost
 * connections, closed channels, cancelled consumers, queues that are deleted, a broker that is not there or refuses it: it
 * tries again until it works, and {@link #problems()} says what it tries. It begins with one
 * message, and takes more as what it took is settled. A queue whose first message ends each connection is given up, so that
 * the broker throws nothing away, and {@link #failure()} says why; the other queues go on. While the database is
 * away, or the consumer paused, it keeps what it has been delivered, up to the prefetch limit, takes nothing more, and goes on by
 * itself. It never rejects a message: one that fails is parked in the database and acknowledged.
 *
 * <p>Safe for use by many threads. A process that dies at any point loses nothing: its messages are delivered again.
 */
public final class RabbitSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(RabbitSource.class);
    private static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration DELIVERY_THREADS_TIMEOUT = Duration.ofSeconds(5);

    private final Inbox<?> inbox;
    private final DeliverySettings deliverySettings;
    private final SourceSettings settings;
    private final RedeliveryWindow redeliveryWindow;
    private volatile @Nullable Running running;
    private volatile boolean closed;

    private record Running(List<QueueLoop> loops, DeliveryThreads deliveryThreads, QueueFailures failures) {}

    RabbitSource(
            Inbox<?> inbox,
            DeliverySettings deliverySettings,
            SourceSettings settings,
            RedeliveryWindow redeliveryWindow) {
        this.redeliveryWindow = redeliveryWindow;
        this.inbox = inbox;
        this.deliverySettings = deliverySettings;
        this.settings = settings;
    }

    /**
     * A source with the standard settings.
     *
     * @param inbox where the messages go
     * @param connectionFactory how to connect; copied, and its automatic recovery is not used
     * @param queues at least one; they are not declared, and may come to be later
     * @return a source, to be started by a {@link io.pigeonhole.core.node.Node}
     * @throws ConfigurationException if settings are wrong or contradict each other
     */
    public static RabbitSource of(Inbox<?> inbox, ConnectionFactory connectionFactory, String... queues) {
        return builder(inbox, connectionFactory, queues).build();
    }

    /**
     * Begins a source.
     *
     * @param inbox where the messages go
     * @param connectionFactory how to connect, as of {@link #of}
     * @param queues at least one
     * @return a builder with the standard settings
     */
    public static RabbitSourceBuilder builder(Inbox<?> inbox, ConnectionFactory connectionFactory, String... queues) {
        return new RabbitSourceBuilder(inbox, connectionFactory, List.of(queues));
    }

    @Override
    public String name() {
        return "RabbitMQ source of inbox '" + inbox.consumer() + "' with queues " + settings.queues();
    }

    @Override
    public Inbox<?> inbox() {
        return inbox;
    }

    @Override
    public void start() {
        start(Thread::new);
    }

    /** With threads made by this factory, but for those of the delivery threads and of the client. */
    synchronized void start(ThreadFactory factory) {
        if (running != null || closed) {
            throw new IllegalStateException(name() + " was started or closed before; build another one");
        }
        DeliveryThreads deliveryThreads = DeliveryThreads.start(settings.name(), inbox, deliverySettings);
        QueueFailures failures = new QueueFailures(settings.name());
        List<QueueLoop> loops = settings.queues().stream()
                .map(queue -> new QueueLoop(queue, settings, inbox.forSources(), deliveryThreads, failures, factory))
                .toList();
        settings.queues().forEach(failures::begins);
        running = new Running(loops, deliveryThreads, failures);
        try {
            loops.forEach(QueueLoop::start);
        } catch (Throwable e) {
            // Where no thread can be started, those that were end, and the source is closed: another one may be built.
            close();
            throw e;
        }
    }

    @Override
    public SourceState state() {
        Running now = running;
        if (now != null && now.loops().stream().allMatch(loop -> loop.failure() != null)) {
            return SourceState.FAILED;
        }
        if (closed) {
            return SourceState.CLOSED;
        }
        if (now == null) {
            return SourceState.NEW;
        }
        if (now.deliveryThreads().isWaiting() || now.failures().isInboxRefusing()) {
            return SourceState.WAITING_FOR_STORE;
        }
        int failing = now.failures().count();
        if (failing == 0) {
            boolean works = inbox.forSources().heldBack() == null
                    && now.deliveryThreads().failure() == null
                    && standstills(now).isEmpty();
            return works ? SourceState.RUNNING : SourceState.DEGRADED;
        }
        return failing == now.loops().size() ? SourceState.WAITING_FOR_BROKER : SourceState.DEGRADED;
    }

    @Override
    public @Nullable Throwable failure() {
        Running now = running;
        return now == null
                ? null
                : now.loops().stream()
                        .map(QueueLoop::failure)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseGet(() -> closed ? null : now.deliveryThreads().failure());
    }

    @Override
    public List<String> problems() {
        Running now = running;
        if (now == null) {
            return List.of();
        }
        List<String> problems = new ArrayList<>(now.failures().list());
        if (!closed) {
            problems.addAll(standstills(now));
        }
        String heldBack = closed ? null : inbox.forSources().heldBack();
        if (heldBack != null) {
            problems.add(heldBack);
        }
        return List.copyOf(problems);
    }

    private static List<String> standstills(Running now) {
        return Stream.concat(
                        Stream.of(now.deliveryThreads()).map(DeliveryThreads::problem),
                        now.loops().stream().map(QueueLoop::standstill))
                .filter(Objects::nonNull)
                .toList();
    }

    /** The setting of the builder: AMQP does not report the arguments and policies of a queue. */
    @Override
    public RedeliveryWindow redeliveryWindow() {
        return redeliveryWindow;
    }

    @Override
    public void close() {
        Running now;
        synchronized (this) {
            closed = true;
            now = running;
        }
        if (now == null) {
            return;
        }
        now.loops().forEach(QueueLoop::close);
        // Who only connects has nothing to finish.
        now.loops().stream().filter(loop -> !loop.isConsuming()).forEach(QueueLoop::abandon);
        long deadline = System.nanoTime() + QueueLoop.longestClose(settings).toNanos();
        for (QueueLoop loop : now.loops()) {
            if (loop.isConsuming() && !loop.awaitEnd(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                log.warn("{} waits for the broker; a connection is cut", name());
                loop.abandon();
            }
        }
        long last = System.nanoTime() + ABANDON_TIMEOUT.toNanos();
        for (QueueLoop loop : now.loops()) {
            if (!loop.awaitEnd(Duration.ofNanos(Math.max(0, last - System.nanoTime())))) {
                log.debug("{}: a connection is still being opened; it is closed as soon as it is there", name());
            }
        }
        now.deliveryThreads().close(DELIVERY_THREADS_TIMEOUT);
    }
}
