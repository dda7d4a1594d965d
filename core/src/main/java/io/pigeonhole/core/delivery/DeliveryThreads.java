package io.pigeonhole.core.delivery;

import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.StoreRefusal;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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

    private final String name;
    private final DeliverySettings settings;
    private final Load load = new Load();
    private final List<DeliveryThread> all;
    private final Runnable endOfListening;

    private DeliveryThreads(String name, BatchProcessor inbox, DeliverySettings settings) {
        this.name = name;
        this.settings = settings;
        this.all = IntStream.range(0, settings.concurrency())
                .mapToObj(i -> new DeliveryThread(name + "-delivery-" + i, inbox, settings.maxBatch(), load))
                .toList();
        this.endOfListening = inbox.whenHandlerHangs(thread -> all.forEach(each -> each.replace(thread)));
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
        DeliveryThreads deliveryThreads = new DeliveryThreads(name, inbox, settings);
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

    /**
     * How full the delivery threads are with unfinished messages.
     *
     * @return 0 for empty, 1 or more for full
     */
    public double load() {
        return load.relativeTo(settings);
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
     * Why a delivery thread {@linkplain #isWaiting waits}, for {@link io.pigeonhole.core.node.Source#problems}.
     *
     * @return that the consumer is paused, or how the database failed last, in a sentence; null where none waits
     */
    public @Nullable String problem() {
        return all.stream()
                .map(DeliveryThread::waitsFor)
                .filter(Objects::nonNull)
                .findFirst()
                .map(StoreRefusal::describe)
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
            if (deliveryThread.unfinished() < idlest.unfinished()) {
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
