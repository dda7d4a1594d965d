package io.pigeonhole.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.lane.LaneSettings;
import io.pigeonhole.core.lane.Lanes;
import io.pigeonhole.core.node.RedeliveryHorizon;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the messages of RabbitMQ queues, classic or quorum, to an inbox. A message is acknowledged only after the database
 * has committed, on the channel that it came on; whatever the broker delivers again, the inbox tells as a duplicate.
 *
 * <p>The source has a connection of its own and consumes with a prefetch limit. It outlasts lost connections, closed
 * channels, cancelled consumers, queues that are deleted and a broker that is not there: it tries again until it works. When
 * the broker refuses its credentials or rights, it stops and tells why by {@link #failure()}. While the database is away it
 * keeps what it has been delivered, up to the prefetch limit, takes nothing more, and goes on by itself. It never rejects a
 * message: one that fails is parked in the database and acknowledged.
 *
 * <p>Safe for use by many threads. A process that dies at any point loses nothing: its messages are delivered again.
 */
public final class RabbitSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(RabbitSource.class);
    private static final Duration ABANDON_PATIENCE = Duration.ofSeconds(1);

    private final Inbox<?> inbox;
    private final LaneSettings laneSettings;
    private final ConsumeLoop.Settings settings;
    private final RedeliveryHorizon horizon;
    private volatile @Nullable Running running;
    private volatile boolean closed;

    private record Running(ConsumeLoop loop, Lanes lanes, Thread thread) {}

    RabbitSource(Inbox<?> inbox, LaneSettings laneSettings, ConsumeLoop.Settings settings, RedeliveryHorizon horizon) {
        this.horizon = horizon;
        this.inbox = inbox;
        this.laneSettings = laneSettings;
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
    public synchronized void start() {
        if (running != null || closed) {
            throw new IllegalStateException(name() + " was started or closed before; build another one");
        }
        Lanes lanes = Lanes.start(settings.name(), inbox, laneSettings);
        ConsumeLoop loop = new ConsumeLoop(settings, lanes);
        Thread thread = new Thread(loop, settings.name());
        thread.setDaemon(true);
        thread.start();
        running = new Running(loop, lanes, thread);
    }

    @Override
    public SourceState state() {
        Running now = running;
        if (now != null && now.loop().failure() != null) {
            return SourceState.FAILED;
        }
        if (closed) {
            return SourceState.CLOSED;
        }
        if (now == null) {
            return SourceState.NEW;
        }
        return now.lanes().isWaiting() ? SourceState.WAITING_FOR_STORE : SourceState.RUNNING;
    }

    @Override
    public @Nullable Throwable failure() {
        Running now = running;
        return now == null ? null : now.loop().failure();
    }

    /** What the builder was told: AMQP does not tell the arguments and policies of a queue. */
    @Override
    public RedeliveryHorizon redeliveryHorizon() {
        return horizon;
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
        now.loop().close();
        if (!BoundedWait.join(now.thread(), now.loop().longestClose())) {
            log.warn("{} waits for the broker; its connection is cut", name());
            now.loop().abandon();
            if (!BoundedWait.join(now.thread(), ABANDON_PATIENCE)) {
                log.warn("{} does not end; it is left alone", name());
            }
        }
    }
}
