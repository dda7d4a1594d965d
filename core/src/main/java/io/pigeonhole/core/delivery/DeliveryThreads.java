package io.pigeonhole.core.delivery;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.StoreRefusal;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads between an adapter and an inbox: each message goes to the thread of its ordering key, which hands over what waits in its
 * queue as one batch. Nothing is ever skipped: when nothing can be committed, the thread keeps what
 * it has and hands it in again until it can, or until it is withdrawn.
 *
 * <p>A message that is busy is handed in again while others go on; those of its ordering key that were not in the same batch
 * wait behind it.
 *
 * <p>Safe for use by many threads. A crash loses nothing but the knowledge of what is settled: the broker delivers the
 * messages again.
 */
public final class DeliveryThreads {
    private static final Logger log = LoggerFactory.getLogger(DeliveryThreads.class);

    /** For so long nothing has to be finished before it is a problem. */
    private static final Duration STANDSTILL = Duration.ofMinutes(1);

    private static final int MOST_IN_TEXTS = 3;

    private final String name;
    private final DeliverySettings settings;
    private final Load load = new Load();
    private final Fullness fullness;
    private final List<DeliveryThread> all;
    private final Runnable endOfListening;

    private DeliveryThreads(String name, BatchProcessor inbox, DeliverySettings settings, LongSupplier clock) {
        this.name = name;
        this.settings = settings;
        this.fullness = new Fullness(load, settings, clock);
        this.all = IntStream.range(0, settings.concurrency())
                .mapToObj(i -> new DeliveryThread(name + "-delivery-" + i, inbox, settings.maxBatch(), load, clock))
                .toList();
        this.endOfListening = inbox.whenHandlerHangs(this::replace);
    }

    /**
     * Starts the threads, as daemons.
     *
     * @param name what they are called in thread names and logs
     * @param inbox where the messages go
     * @param settings how many delivery threads, and how much they may hold
     * @return running delivery threads, to be closed by the caller
     */
    public static DeliveryThreads start(String name, Inbox<?> inbox, DeliverySettings settings) {
        return start(name, BatchProcessor.of(inbox.forSources()), settings);
    }

    static DeliveryThreads start(String name, BatchProcessor inbox, DeliverySettings settings) {
        return start(name, inbox, settings, System::nanoTime);
    }

    /** With a clock of nanoseconds that says for how long nothing was finished. */
    static DeliveryThreads start(String name, BatchProcessor inbox, DeliverySettings settings, LongSupplier clock) {
        DeliveryThreads deliveryThreads = new DeliveryThreads(name, inbox, settings, clock);
        try {
            deliveryThreads.all.forEach(DeliveryThread::start);
        } catch (Throwable e) {
            deliveryThreads.endOfListening.run();
            deliveryThreads.all.forEach(DeliveryThread::close);
            throw e;
        }
        return deliveryThreads;
    }

    /**
     * Opens a group of deliveries.
     *
     * @return an empty one
     */
    public DeliveryGroup open() {
        return new DeliveryGroup(this);
    }

    /** How full the delivery threads are with unfinished messages: 0 for empty, 1 or more for full. */
    double load() {
        return load.relativeTo(settings);
    }

    /**
     * Whether an adapter is to take no more messages from its broker for now. It is asked before each time that messages are taken,
     * or at least every second while none are.
     *
     * @return true from the moment when as many messages are unfinished as {@link DeliverySettings} allow, until half of them are
     *     finished, or until a thread has nothing to do, but for what is busy, and there is room
     */
    public boolean isFull() {
        return fullness.isFull(() -> all.stream().anyMatch(DeliveryThread::isIdle), this::isWaiting);
    }

    /**
     * Whether a delivery thread waits for the database: the last that it handed in could not be committed.
     *
     * @return true from such a failure until the same messages are through
     */
    public boolean isWaiting() {
        return all.stream().anyMatch(DeliveryThread::isWaiting);
    }

    /**
     * Why nothing goes on, for {@link io.pigeonhole.core.node.Source#problems}: a delivery thread {@linkplain #isWaiting waits}, or
     * the threads are {@linkplain #isFull full} and have finished nothing for a minute.
     *
     * @return that the consumer is paused, how the database failed last, or which messages are not finished, in a sentence; null
     *     where it goes on
     */
    public @Nullable String problem() {
        return all.stream()
                .map(DeliveryThread::waitsFor)
                .filter(Objects::nonNull)
                .findFirst()
                .map(StoreRefusal::describe)
                .orElseGet(this::standstill);
    }

    private @Nullable String standstill() {
        Duration standstill = fullness.standstill();
        String unfinished = standstill.compareTo(STANDSTILL) < 0 ? null : unfinished(entry -> true);
        return unfinished == null
                ? null
                : "no more messages are taken: " + load.messages()
                        + " are unfinished, and for " + standstill.toSeconds()
                        + " s none of them was finished. " + unfinished;
    }

    /**
     * Which messages of a group do not come to their end, for the text of a problem.
     *
     * @param group the group
     * @return some of them, or of those that they wait for; null where there is none, or where one is in a batch that began less than
     *     five minutes ago, or waits behind it, as that may be slow and no more
     */
    public @Nullable String unfinished(DeliveryGroup group) {
        return unfinished(entry -> entry.group() == group);
    }

    private @Nullable String unfinished(Predicate<Entry> which) {
        List<String> some = all.stream()
                .map(thread -> thread.standsAt(which))
                .filter(Objects::nonNull)
                .limit(MOST_IN_TEXTS)
                .toList();
        return some.isEmpty() || all.stream().anyMatch(thread -> thread.isAtWork(which))
                ? null
                : "Unfinished are, for example, " + String.join("; ", some)
                        + ". A handler that does not return needs a timeout in the calls that it makes, and the driver a socketTimeout;"
                        + " a message is busy while another transaction has its key";
    }

    /**
     * Why messages wait until there is a new process, for {@link io.pigeonhole.core.node.Source#failure}: too many threads hang in
     * handlers that no interrupt ends, and are not replaced any more.
     *
     * @return the failure of one that waits so; null where none does
     */
    public @Nullable Throwable failure() {
        return all.stream()
                .map(DeliveryThread::failure)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Stops the delivery threads: what is in work is waited for, the rest is left alone. After the timeout, the threads are
     * interrupted and given up; whatever they still commit is settled by the redelivery. An interrupt of the caller does not
     * shorten it.
     *
     * @param timeout how long to wait for what is in work
     */
    public void close(Duration timeout) {
        endOfListening.run();
        all.forEach(DeliveryThread::close);
        long deadline = System.nanoTime() + timeout.toNanos();
        for (DeliveryThread each : all) {
            Thread thread = each.thread();
            if (!BoundedWait.join(thread, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())))) {
                log.warn(
                        "{}: {} is still at work after {}; it is interrupted and left alone",
                        name,
                        thread.getName(),
                        timeout);
                each.giveUp();
                thread.interrupt();
            }
        }
    }

    /** False where it is one of these, and none takes its place. */
    private boolean replace(Thread hangs) {
        return all.stream().allMatch(each -> each.replace(hangs));
    }

    void add(Entry entry, int fallback) {
        byte[] key = entry.message().orderingKey();
        (key == null ? all.get(Math.floorMod(spread(fallback), all.size())) : deliveryThreadOf(key)).add(entry);
    }

    /** Numbers in a row, as a member's partitions often have, are spread evenly. */
    void addInSequence(Entry entry, int number) {
        all.get(Math.floorMod(number, all.size())).add(entry);
    }

    void add(Entry entry) {
        byte[] key = entry.message().orderingKey();
        (key == null ? idlest() : deliveryThreadOf(key)).add(entry);
    }

    /** The same number as in the database: where one divides the other, two threads here never meet in one work partition. */
    private DeliveryThread deliveryThreadOf(byte[] key) {
        return all.get(OrderingKey.partition(key, all.size()));
    }

    private DeliveryThread idlest() {
        DeliveryThread idlest = all.get(0);
        for (DeliveryThread deliveryThread : all) {
            if (deliveryThread.load() < idlest.load()) {
                idlest = deliveryThread;
            }
        }
        return idlest;
    }

    /** Partitions are often small numbers in a row; this makes every bit count. */
    private static int spread(int hash) {
        int mixed = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
        return mixed ^ (mixed >>> 16);
    }

    void removeWithdrawn() {
        all.forEach(DeliveryThread::removeWithdrawn);
    }

    boolean awaitIdle(DeliveryGroup group, Duration timeout) {
        return BoundedWait.await(timeout, nanos -> {
            long deadline = System.nanoTime() + nanos;
            boolean idle = true;
            for (DeliveryThread deliveryThread : all) {
                idle &= deliveryThread.awaitIdle(group, deadline);
            }
            return idle;
        });
    }
}
