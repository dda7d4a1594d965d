package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.lane.LaneSettings;
import io.pigeonhole.core.lane.Lanes;
import io.pigeonhole.core.node.RedeliveryHorizon;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.time.BoundedWait;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the records of Kafka topics to an inbox, as a member of a consumer group. Offsets are committed only after the
 * database has committed, and never past an unfinished record; whatever Kafka delivers again, the inbox tells as a
 * duplicate. Only committed records are read.
 *
 * <p>For an inbox that deduplicates by watermarks it takes over each partition in the database before it reads from it,
 * begins at the watermark, and works on a partition in one lane; committed offsets are information only. A topic that was
 * made anew, and offsets that the broker does not have any more, make it give up with the reason, as somebody has to decide.
 *
 * <p>While the database is away, the source takes nothing, keeps its partitions, and goes on by itself. When partitions are
 * revoked, it finishes what is in work within a bounded time and gives up the rest. When Kafka refuses it for good (missing
 * rights, wrong settings), it stops and tells why by {@link #failure()}; other errors it outlasts.
 *
 * <p>Safe for use by many threads. A process that dies at any point loses nothing: its records are delivered again.
 */
public final class KafkaSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    private final Inbox<?> inbox;
    private final ConsumerSettings consumerSettings;
    private final Function<Map<String, Object>, Consumer<byte[], byte[]>> consumerFactory;
    private final IdFallback idFallback;
    private final LaneSettings laneSettings;
    private final PollLoop.Settings settings;
    private final @Nullable LogStart logStart;
    private volatile @Nullable Running running;
    private volatile boolean closed;

    private record Running(PollLoop loop, Lanes lanes, Thread thread) {}

    KafkaSource(
            Inbox<?> inbox,
            ConsumerSettings consumerSettings,
            Function<Map<String, Object>, Consumer<byte[], byte[]>> consumerFactory,
            IdFallback idFallback,
            LaneSettings laneSettings,
            PollLoop.Settings settings,
            @Nullable LogStart logStart) {
        this.inbox = inbox;
        this.consumerSettings = consumerSettings;
        this.consumerFactory = consumerFactory;
        this.idFallback = idFallback;
        this.laneSettings = laneSettings;
        this.settings = settings;
        this.logStart = logStart;
    }

    /**
     * A source with the standard settings.
     *
     * @param inbox where the messages go
     * @param consumerConfig settings of the Kafka consumer. {@code bootstrap.servers} is needed; {@code group.id} is the
     *     inbox's consumer and {@code auto.offset.reset} is {@code earliest} unless set, and has to be set where the inbox
     *     deduplicates by watermarks; deserializers, isolation level and
     *     auto commit are set by the source
     * @param topics at least one
     * @return a source, to be started by a {@link io.pigeonhole.core.node.Node}
     * @throws ConfigurationException if settings are wrong or contradict each other
     */
    public static KafkaSource of(Inbox<?> inbox, Map<String, Object> consumerConfig, String... topics) {
        return builder(inbox, consumerConfig, topics).build();
    }

    /**
     * Begins a source.
     *
     * @param inbox where the messages go
     * @param consumerConfig settings of the Kafka consumer, as of {@link #of}
     * @param topics at least one
     * @return a builder with the standard settings
     */
    public static KafkaSourceBuilder builder(Inbox<?> inbox, Map<String, Object> consumerConfig, String... topics) {
        return new KafkaSourceBuilder(inbox, consumerConfig, List.of(topics));
    }

    @Override
    public String name() {
        return "Kafka source of inbox '" + inbox.consumer() + "' with topics " + settings.topics();
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
        Admin admin = null;
        try {
            admin = idFallback == IdFallback.TRANSPORT || logStart != null
                    ? Admin.create(consumerSettings.forAdmin())
                    : null;
            Consumer<byte[], byte[]> consumer = consumerFactory.apply(consumerSettings.values());
            Lanes lanes = Lanes.start(settings.name(), inbox, laneSettings);
            TopicIdentities identities = admin == null ? null : TopicIdentities.of(admin);
            LogOwner owner = identities == null || logStart == null
                    ? null
                    : new LogOwner(
                            inbox, consumer, identities, settings.mapper().source(), logStart, System::nanoTime);
            WatermarkCheck check = owner == null ? null : new WatermarkCheck(settings.name(), inbox);
            PollLoop loop = new PollLoop(settings, consumer, identities, owner, check, lanes, inbox);
            Thread thread = new Thread(loop, settings.name());
            thread.setDaemon(true);
            thread.start();
            running = new Running(loop, lanes, thread);
        } catch (RuntimeException e) {
            if (admin != null) {
                admin.close();
            }
            throw e instanceof KafkaException
                    ? new ConfigurationException(name() + " cannot be started: " + e.getMessage(), e)
                    : e;
        }
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
        return now.lanes().isWaiting() || now.loop().isWaiting() ? SourceState.WAITING_FOR_STORE : SourceState.RUNNING;
    }

    @Override
    public @Nullable Throwable failure() {
        Running now = running;
        return now == null ? null : now.loop().failure();
    }

    /** The largest retention of its topics, and a segment more, since Kafka deletes whole segments. Asks Kafka. */
    @Override
    public RedeliveryHorizon redeliveryHorizon() {
        return TopicRetention.ask(consumerSettings.forAdmin(), settings.topics());
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
            log.warn(
                    "{} does not end within {}; it is left alone",
                    name(),
                    now.loop().longestClose());
        }
    }
}
