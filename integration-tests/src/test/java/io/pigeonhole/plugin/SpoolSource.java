package io.pigeonhole.plugin;

import io.pigeonhole.core.delivery.DeliveryGroup;
import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.node.Source;
import io.pigeonhole.core.node.SourceState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the files of a directory to an inbox, in the order of their names. A file is acknowledged by being deleted, after
 * the commit; a crash in between leaves it there, and the inbox recognises it as a duplicate.
 */
final class SpoolSource implements Source {
    private static final Logger log = LoggerFactory.getLogger(SpoolSource.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 20;

    private final Inbox<?> inbox;
    private final Path directory;
    private final Thread thread = new Thread(this::run, "spool-source");
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Set<Path> inHand = ConcurrentHashMap.newKeySet();
    private volatile @Nullable DeliveryThreads deliveryThreads;

    SpoolSource(Inbox<?> inbox, Path directory) {
        this.inbox = inbox;
        this.directory = directory;
    }

    @Override
    public String name() {
        return "spool source of inbox '" + inbox.consumer() + "' with " + directory;
    }

    @Override
    public Inbox<?> inbox() {
        return inbox;
    }

    @Override
    public synchronized void start() {
        if (state() != SourceState.NEW) {
            throw new IllegalStateException(name() + " was started or closed before; make another one");
        }
        deliveryThreads = DeliveryThreads.start("spool", inbox, DeliverySettings.standard());
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        DeliveryThreads into = deliveryThreads;
        if (into == null) {
            return;
        }
        DeliveryGroup group = into.open(); // nothing of it is ever taken back but by closing
        while (!isClosedAfterAPause()) {
            for (Path file : files()) {
                // Full, or the database is away: what is not taken stays where it is.
                if (into.isFull() || into.isWaiting() || closing.getCount() == 0) {
                    break;
                }
                if (inHand.add(file)) {
                    submit(file, group);
                }
            }
        }
    }

    /** Only close() ends the thread, no interrupt. */
    private boolean isClosedAfterAPause() {
        try {
            return closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return closing.getCount() == 0;
        }
    }

    private List<Path> files() {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.toString().endsWith(SpoolFile.SUFFIX))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            log.warn("{}: the directory cannot be read, trying again", name(), e);
            return List.of();
        }
    }

    private void submit(Path file, DeliveryGroup group) {
        try {
            group.submit(
                    SpoolFile.read(file, String.valueOf(directory.getFileName())),
                    directory.hashCode(),
                    outcome -> acknowledge(file));
        } catch (IOException e) {
            log.debug("{} was taken by another source", file, e);
            inHand.remove(file);
        }
    }

    private void acknowledge(Path file) {
        try {
            Files.deleteIfExists(file);
            inHand.remove(file);
        } catch (IOException e) {
            // It stays in hand: this process does not take it again, the next one finds it settled.
            log.warn("{}: {} is settled, but cannot be deleted", name(), file, e);
        }
    }

    @Override
    public SourceState state() {
        DeliveryThreads started = deliveryThreads;
        if (closing.getCount() == 0) {
            return SourceState.CLOSED;
        }
        if (started == null) {
            return SourceState.NEW;
        }
        return started.isWaiting() ? SourceState.WAITING_FOR_STORE : SourceState.RUNNING;
    }

    @Override
    public @Nullable Throwable failure() {
        // A directory that cannot be read may be readable again.
        DeliveryThreads started = deliveryThreads;
        return started == null ? null : started.failure();
    }

    @Override
    public void close() {
        closing.countDown();
        DeliveryThreads started = deliveryThreads;
        if (started != null) {
            started.close(CLOSE_TIMEOUT);
        }
    }
}
