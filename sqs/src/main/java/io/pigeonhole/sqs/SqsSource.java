package io.pigeonhole.sqs;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.RedeliveryWindow;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.sqs.SqsClient;

/**
 * Takes the messages of an SQS queue to an inbox. A message is deleted from the queue only after the database has committed;
 * whatever SQS delivers again, the inbox recognises as a duplicate. While a message is unfinished, it is kept hidden from other
 * receivers, however long its handler takes. On FIFO queues messages keep the order of their group.
 *
 * <p>While the database is away, the consumer is paused, or enough is unfinished, the source asks for nothing, and goes on by
 * itself. Where SQS refuses it messages (missing rights, wrong credentials) before it has ever let it receive, it stops and says
 * why by {@link #failure()}.
 * Whatever else is thrown it outlasts, and says so by {@link #state()} and {@link #problems()}: a network or a token server that is
 * away, credentials that were good before, a queue that does not exist yet, a right to delete that is missing.
 *
 * <p>Safe for use by many threads. A process that dies at any point loses nothing: its messages are delivered again when
 * their visibility timeout is over.
 */
public final class SqsSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(SqsSource.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    /** A poller that waits for messages is not waited for: what it still gets it gives back. */
    private static final Duration POLLER_TIMEOUT = Duration.ofMillis(500);

    private final Inbox<?> inbox;
    private final SqsQueue queue;
    private final Settings settings;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final LongSupplier clock;
    private volatile @Nullable Running running;
    private volatile boolean closed;

    /** The settings of the builder. */
    record Settings(
            String name,
            MessageMapper mapper,
            DeliverySettings delivery,
            int pollers,
            Duration visibilityTimeout,
            Duration longestHold,
            Duration closeTimeout) {}

    /** What works from the start on. */
    private record Running(
            DeliveryThreads deliveryThreads,
            InFlight inFlight,
            Acknowledgements acknowledgements,
            List<Poller> pollers,
            CallFailures receiving,
            List<CallFailures> others,
            ExecutorService polling,
            ExecutorService deleting,
            ExecutorService heartbeat) {}

    SqsSource(Inbox<?> inbox, SqsQueue queue, Settings settings, LongSupplier clock) {
        this.clock = clock;
        this.inbox = inbox;
        this.queue = queue;
        this.settings = settings;
    }

    /**
     * A source with the standard settings.
     *
     * @param inbox where the messages go
     * @param client any client of the SDK, with the HTTP client, region and credentials of your choice; used from several
     *     threads, and not closed by the source. It must allow an answer to take 20 seconds, as all do unless set otherwise
     * @param queue the queue's name, or its URL
     * @return a source, to be started by a {@link io.pigeonhole.core.node.Node}
     * @throws ConfigurationException if the queue's name cannot be one
     */
    public static SqsSource of(Inbox<?> inbox, SqsClient client, String queue) {
        return builder(inbox, client, queue).build();
    }

    /**
     * Begins a source.
     *
     * @param inbox where the messages go
     * @param client a client of the SDK, as of {@link #of}
     * @param queue the queue's name, or its URL
     * @return a builder with the standard settings
     */
    public static SqsSourceBuilder builder(Inbox<?> inbox, SqsClient client, String queue) {
        return new SqsSourceBuilder(inbox, client, queue);
    }

    @Override
    public String name() {
        return "SQS source of inbox '" + inbox.consumer() + "' with queue "
                + settings.mapper().queue();
    }

    @Override
    public Inbox<?> inbox() {
        return inbox;
    }

    @Override
    public void start() {
        start(Thread::new);
    }

    /** With threads made by this factory, but for those of the delivery threads. */
    synchronized void start(ThreadFactory factory) {
        if (running != null || closed) {
            throw new IllegalStateException(name() + " was started or closed before; build another one");
        }
        // What can be received is worked on, whatever else is refused: it may pass, and what comes again is a
        // duplicate.
        CallFailures receiving = new CallFailures(name() + ": receiving", this::fail, clock);
        CallFailures hiding = new CallFailures(name() + ": keeping messages hidden", clock);
        CallFailures deleting = new CallFailures(name() + ": deleting settled messages", clock);
        CallFailures handing = new CallFailures(name() + ": handing in what was received", clock);
        DeliveryThreads deliveryThreads = DeliveryThreads.start(settings.name(), inbox, settings.delivery());
        InFlight inFlight = new InFlight(
                settings.name(),
                queue,
                settings.visibilityTimeout(),
                settings.longestHold(),
                settings.pollers(),
                hiding);
        Acknowledgements acknowledgements = new Acknowledgements(settings.name(), queue, deleting, clock);
        List<Poller> pollers = IntStream.range(0, settings.pollers())
                .mapToObj(i -> new Poller(
                        settings,
                        inbox.forSources(),
                        queue,
                        deliveryThreads,
                        inFlight,
                        acknowledgements,
                        stopping,
                        receiving,
                        handing))
                .toList();
        // As many as pollers, so that deleting keeps up with receiving.
        List<Acknowledgements> deleters = Collections.nCopies(settings.pollers(), acknowledgements);
        running = new Running(
                deliveryThreads,
                inFlight,
                acknowledgements,
                pollers,
                receiving,
                List.of(deleting, hiding, handing),
                threads(factory, "poller", pollers.size()),
                threads(factory, "deleter", deleters.size()),
                threads(factory, "heartbeat", 1));
        begin(running, deleters);
    }

    /** Where no thread can be started, those that were end, and the source is closed: another one may be built. */
    private void begin(Running now, List<Acknowledgements> deleters) {
        try {
            run(now.heartbeat(), List.of(now.inFlight()));
            run(now.deleting(), deleters);
            run(now.polling(), now.pollers());
        } catch (Throwable e) {
            // Those of a pool that has started only some of its threads, too.
            Stream.of(now.heartbeat(), now.deleting(), now.polling()).forEach(ExecutorService::shutdown);
            close();
            throw e;
        }
    }

    private ExecutorService threads(ThreadFactory factory, String kind, int count) {
        return Executors.newFixedThreadPool(count, task -> {
            Thread thread = factory.newThread(task);
            thread.setName(settings.name() + "-" + kind);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Each on a thread of its own, for as long as it runs. */
    private void run(ExecutorService threads, List<? extends Runnable> tasks) {
        tasks.forEach(task -> threads.execute(() -> run(task)));
        threads.shutdown();
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            fail(e);
        }
    }

    /** Nothing more is received; what was received before goes on. */
    private void fail(Throwable reason) {
        if (!closed && failure.compareAndSet(null, reason)) {
            stopping.countDown();
            log.error(
                    "{}: gives up; it takes no more messages until it is started anew",
                    name(),
                    FailureText.readable(reason));
        }
    }

    @Override
    public SourceState state() {
        Running now = running;
        if (failure.get() != null) {
            return SourceState.FAILED;
        }
        if (closed) {
            return SourceState.CLOSED;
        }
        if (now == null) {
            return SourceState.NEW;
        }
        if (now.deliveryThreads().isWaiting() || now.pollers().stream().anyMatch(Poller::waitsForStore)) {
            return SourceState.WAITING_FOR_STORE;
        }
        if (now.receiving().problem() != null) {
            return SourceState.WAITING_FOR_BROKER;
        }
        boolean works = problems(now).isEmpty() && now.deliveryThreads().failure() == null;
        return works ? SourceState.RUNNING : SourceState.DEGRADED;
    }

    @Override
    public List<String> problems() {
        Running now = running;
        return now == null || closed ? List.of() : problems(now);
    }

    private List<String> problems(Running now) {
        List<String> problems = new ArrayList<>();
        Stream.concat(Stream.of(now.receiving()), now.others().stream())
                .map(CallFailures::problem)
                .filter(Objects::nonNull)
                .forEach(problems::add);
        Stream.concat(
                        Stream.of(now.deliveryThreads()).map(DeliveryThreads::problem),
                        now.pollers().stream().map(Poller::storeProblem))
                .filter(Objects::nonNull)
                .findFirst()
                .ifPresent(problems::add);
        String heldBack = inbox.forSources().heldBack();
        if (heldBack != null) {
            problems.add(heldBack);
        }
        if (now.acknowledgements().isSilent()) {
            problems.add(name() + ": no thread deletes settled messages any more; "
                    + now.acknowledgements().size()
                    + " wait for it. They come again and again, as duplicates, until the source is started anew");
        }
        return List.copyOf(problems);
    }

    @Override
    public @Nullable Throwable failure() {
        Running now = running;
        Throwable reason = failure.get();
        return reason == null && now != null && !closed ? now.deliveryThreads().failure() : reason;
    }

    /** The queue's retention of messages. Asks SQS. */
    @Override
    public RedeliveryWindow redeliveryWindow() {
        String origin = "queue '" + settings.mapper().queue() + "' (MessageRetentionPeriod)";
        try {
            Duration retention = queue.retention();
            return retention == null ? RedeliveryWindow.unknown(origin) : RedeliveryWindow.of(retention, origin);
        } catch (RuntimeException e) {
            // Also of a provider of credentials, which may throw whatever it likes.
            return RedeliveryWindow.unknown(origin + ", which SQS does not report: " + FailureText.messageOf(e));
        }
    }

    @Override
    public void close() {
        Running now;
        synchronized (this) {
            closed = true;
            stopping.countDown();
            now = running;
        }
        if (now != null) {
            giveBack(now);
            now.acknowledgements().close();
            await(now.deleting(), CLOSE_TIMEOUT);
            now.acknowledgements().giveUp();
            now.inFlight().close();
            await(now.heartbeat(), CLOSE_TIMEOUT);
            now.deliveryThreads().close(CLOSE_TIMEOUT);
            await(now.polling(), POLLER_TIMEOUT);
        }
    }

    /** What is not in work others may have at once; the rest is waited for. */
    private void giveBack(Running now) {
        List<Received> inWork = new ArrayList<>();
        List<Received> all = now.inFlight().takeNoMore();
        all.forEach(Received::withdraw);
        for (Received received : all) {
            if (received.awaitIdle(Duration.ZERO)) {
                now.inFlight().giveBack(received);
            } else {
                inWork.add(received);
            }
        }
        long deadline = System.nanoTime() + settings.closeTimeout().toNanos();
        for (Received received : inWork) {
            if (received.awaitIdle(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                now.inFlight().giveBack(received);
            } else {
                log.warn(
                        "{}: messages are still in work after {}; their redelivery will settle what became of them",
                        name(),
                        settings.closeTimeout());
            }
        }
    }

    private void await(ExecutorService threads, Duration timeout) {
        boolean ended = BoundedWait.await(timeout, nanos -> threads.awaitTermination(nanos, TimeUnit.NANOSECONDS));
        log.debug("{}: {} after at most {}", name(), ended ? "ended" : "left alone", timeout);
    }
}
