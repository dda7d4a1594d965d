package io.pigeonhole.kafka;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.SourceInbox;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.time.BoundedWait;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.kafka.TopicIdentities.Unidentified;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the records of Kafka topics to an inbox, as a member of a consumer group. Offsets are committed only after the
 * database has committed, and never past an unfinished record; whatever Kafka delivers again, the inbox recognises as a
 * duplicate. Only committed records are read.
 *
 * <p>For an inbox that deduplicates by watermarks it takes over each partition in the database before it reads from it,
 * begins at the watermark, and works on a partition in one delivery thread; committed offsets are information only. A topic that was
 * made anew makes it give up with the reason, as somebody has to decide.
 *
 * <p>While the database is away, the source takes nothing, keeps its partitions, and goes on by itself. When partitions are
 * revoked, it finishes what is in work within a bounded time and gives up the rest. When Kafka refuses it before it has ever
 * worked (missing rights, wrong settings), or somebody has to decide something, it stops and says why by {@link #failure()}.
 * Whatever else is thrown it outlasts, where needed with another consumer, and says so by {@link #state()} and {@link #problems()}.
 * A partition that cannot be read, or of which nobody has said where to begin, is held back and holds back no other. A topic that
 * does not exist is a problem until it does.
 *
 * <p>Safe for use by many threads. A process that dies at any point loses nothing: its records are delivered again.
 */
public final class KafkaSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    private final Inbox<?> inbox;
    private final ConsumerSettings consumerSettings;
    private final Function<Map<String, Object>, Consumer<byte[], byte[]>> consumerFactory;
    private final IdFallback idFallback;
    private final DeliverySettings deliverySettings;
    private final PollLoop.Settings settings;
    private final @Nullable LogStart logStart;
    private volatile @Nullable Running running;
    private volatile boolean closed;

    private record Running(
            PollLoops loops,
            PollFailures pollFailures,
            UnreadablePartitions unreadable,
            MissingTopics missing,
            BrokerSilence silence,
            Thread thread) {}

    KafkaSource(
            Inbox<?> inbox,
            ConsumerSettings consumerSettings,
            Function<Map<String, Object>, Consumer<byte[], byte[]>> consumerFactory,
            IdFallback idFallback,
            DeliverySettings deliverySettings,
            PollLoop.Settings settings,
            @Nullable LogStart logStart) {
        this.inbox = inbox;
        this.consumerSettings = consumerSettings;
        this.consumerFactory = consumerFactory;
        this.idFallback = idFallback;
        this.deliverySettings = deliverySettings;
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
    public void start() {
        start(Thread::new);
    }

    /** Where the thread cannot be started, what was opened for it is closed, and so is the source: another one may be built. */
    synchronized void start(ThreadFactory threads) {
        if (running != null || closed) {
            throw new IllegalStateException(name() + " was started or closed before; build another one");
        }
        PollFailures pollFailures = new PollFailures(name(), settings.clock());
        UnreadablePartitions unreadable = new UnreadablePartitions(name(), settings.clock());
        MissingTopics missing =
                MissingTopics.of(name(), settings.topics(), consumerSettings.forAdmin(), settings.clock());
        BrokerSilence silence = new BrokerSilence(
                name(), bootstrapServers(), consumerSettings.heartbeat(inbox.consumer()), settings.clock());
        PollLoop first;
        try {
            first = loop(pollFailures, unreadable, missing, silence);
        } catch (KafkaException e) {
            throw new ConfigurationException(name() + " cannot be started: " + e.getMessage(), e);
        }
        PollLoops loops =
                new PollLoops(name(), first, () -> loop(pollFailures, unreadable, missing, silence), pollFailures);
        try {
            Thread thread = threads.newThread(() -> run(loops, missing));
            thread.setName(settings.name());
            thread.setDaemon(true);
            thread.start();
            running = new Running(loops, pollFailures, unreadable, missing, silence, thread);
        } catch (Throwable e) {
            closed = true;
            first.abandon();
            throw e;
        }
    }

    private static void run(PollLoops loops, MissingTopics missing) {
        try (missing) {
            loops.run();
        }
    }

    /** With a consumer of its own, and threads; whatever was opened is closed where something cannot be. */
    private PollLoop loop(
            PollFailures pollFailures, UnreadablePartitions unreadable, MissingTopics missing, BrokerSilence silence) {
        Deque<Runnable> opened = new ArrayDeque<>();
        try {
            TopicIdentities identities = null;
            if (idFallback == IdFallback.TRANSPORT || logStart != null) {
                identities = TopicIdentities.of(Admin.create(consumerSettings.forAdmin()), settings.clock());
                opened.push(identities::close);
            }
            Consumer<byte[], byte[]> consumer = consumerFactory.apply(consumerSettings.values());
            opened.push(() -> consumer.close(CloseOptions.timeout(Duration.ZERO)));
            SourceInbox forSources = inbox.forSources();
            DeliveryThreads deliveryThreads = DeliveryThreads.start(settings.name(), inbox, deliverySettings);
            // They have nothing to do yet, and end at once.
            opened.push(() -> deliveryThreads.close(Duration.ofSeconds(1)));
            boolean beginsAtEnd = logStart == null ? consumerSettings.beginsAtEnd() : logStart == LogStart.LATEST;
            AddedPartitions added = beginsAtEnd ? new AddedPartitions(consumer) : null;
            LogOwner owner = identities == null || logStart == null
                    ? null
                    : new LogOwner(
                            forSources,
                            consumer,
                            identities,
                            added,
                            settings.mapper()::sourceOf,
                            logStart,
                            System::nanoTime);
            WatermarkCheck check = owner == null ? null : new WatermarkCheck(settings.name(), forSources);
            return new PollLoop(
                    settings,
                    consumer,
                    identities,
                    owner,
                    check,
                    added,
                    deliveryThreads,
                    forSources,
                    pollFailures,
                    unreadable,
                    missing,
                    silence);
        } catch (Throwable e) {
            opened.forEach(KafkaSource::closeQuietly);
            throw e;
        }
    }

    private static void closeQuietly(Runnable close) {
        try {
            close.run();
        } catch (RuntimeException e) {
            log.debug("what was opened could not be closed", e);
        }
    }

    @Override
    public SourceState state() {
        Running now = running;
        if (now != null && now.loops().failure() != null) {
            return SourceState.FAILED;
        }
        if (closed) {
            return SourceState.CLOSED;
        }
        if (now == null) {
            return SourceState.NEW;
        }
        PollLoop loop = now.loops().current();
        if (loop.isWaiting()) {
            return SourceState.WAITING_FOR_STORE;
        }
        Unidentified unidentified = loop.unidentified();
        if (brokerProblem(now) != null || unidentified.areAll() || now.missing().areAll()) {
            return SourceState.WAITING_FOR_BROKER;
        }
        boolean works = now.unreadable().problems().isEmpty()
                && unidentified.problems().isEmpty()
                && loop.fullWindows().problems().isEmpty()
                && loop.standstill() == null
                && now.missing().problems().isEmpty()
                && missingPoll(loop) == null
                && loop.commitProblem() == null
                && loop.undecidedProblem() == null
                && loop.hangs() == null
                && inbox.forSources().heldBack() == null;
        return works ? SourceState.RUNNING : SourceState.DEGRADED;
    }

    @Override
    public List<String> problems() {
        Running now = running;
        if (now == null || closed) {
            return List.of();
        }
        List<String> problems = new ArrayList<>(now.unreadable().problems());
        String problem = brokerProblem(now);
        if (problem != null) {
            problems.add(problem);
        }
        problems.addAll(now.missing().problems());
        PollLoop loop = now.loops().current();
        String standstill = loop.standstill();
        if (standstill != null) {
            problems.add(standstill);
        }
        problems.addAll(loop.unidentified().problems());
        problems.addAll(loop.fullWindows().problems());
        String missing = missingPoll(loop);
        if (missing != null) {
            problems.add(missing);
        }
        String uncommitted = loop.commitProblem();
        if (uncommitted != null) {
            problems.add(uncommitted);
        }
        String undecided = loop.undecidedProblem();
        if (undecided != null) {
            problems.add(undecided);
        }
        String heldBack = inbox.forSources().heldBack();
        if (heldBack != null) {
            problems.add(heldBack);
        }
        return problems.stream().map(each -> name() + ": " + each).toList();
    }

    /** Why nothing comes from Kafka; null where nothing says so. */
    private @Nullable String brokerProblem(Running now) {
        String problem = now.pollFailures().problem();
        if (problem != null) {
            return problem;
        }
        String silence = now.silence().problem();
        if (silence != null) {
            return silence;
        }
        PollLoop loop = now.loops().current();
        Object servers = bootstrapServers();
        if (loop.isDisconnected()) {
            return "there is no connection to any broker of " + servers;
        }
        return loop.hasJoined()
                ? null
                : "it has not joined its group '" + consumerSettings.values().get("group.id") + "' at " + servers
                        + " yet";
    }

    private Object bootstrapServers() {
        return Objects.requireNonNull(consumerSettings.values().get("bootstrap.servers"));
    }

    /** That nothing was polled for longer than half of what the group allows; null where it was. */
    private @Nullable String missingPoll(PollLoop loop) {
        Duration longest = consumerSettings.maxPollInterval(inbox.consumer());
        Duration since = loop.sincePoll();
        Duration bound = longest.dividedBy(2);
        // A revocation is waited for between two polls.
        boolean isLong = since.compareTo(bound) > 0 && since.compareTo(settings.revocationTimeout()) > 0;
        return isLong
                ? "its thread has not polled for " + since.toSeconds()
                        + " s, and waits for something, such as an answer of the"
                        + " database over a connection that is dead; after " + longest.toSeconds()
                        + " s (max.poll.interval.ms) the group gives its partitions to others"
                : null;
    }

    @Override
    public @Nullable Throwable failure() {
        Running now = running;
        if (now == null) {
            return null;
        }
        Throwable failure = now.loops().failure();
        return failure == null && !closed ? now.loops().current().hangs() : failure;
    }

    /** The largest retention of its topics, and a segment more, since Kafka deletes whole segments. Asks Kafka. */
    @Override
    public RedeliveryWindow redeliveryWindow() {
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
        now.loops().close();
        Duration longest = now.loops().current().longestClose();
        if (!BoundedWait.join(now.thread(), longest)) {
            log.warn("{} does not end within {}; it is left alone", name(), DurationText.of(longest));
        }
    }
}
