package io.pigeonhole.core.node;

import io.pigeonhole.core.inbox.NodeInbox;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks every second for batches of a node that do not end, and says once in a while what was done. */
final class Watch {
    private static final Logger log = LoggerFactory.getLogger(Watch.class);

    private final List<NodeInbox> inboxes;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "pigeonhole-watch");
        daemon.setDaemon(true);
        return daemon;
    });

    Watch(List<NodeInbox> inboxes) {
        this.inboxes = inboxes;
    }

    void start() {
        var unusedLook = thread.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
        var unusedReport = thread.scheduleWithFixedDelay(this::report, 10, 10, TimeUnit.MINUTES);
    }

    private void report() {
        try {
            inboxes.forEach(NodeInbox::reportOutcomes);
        } catch (RuntimeException | Error e) {
            // An appender of the application failed: there is nowhere to say so.
            Thread.interrupted();
        }
    }

    private void look() {
        try {
            inboxes.forEach(NodeInbox::lookAtBatches);
        } catch (RuntimeException | Error e) {
            log.warn("a look for batches that do not end failed; looking again", e);
        }
    }

    /** The batches that do not end, as sentences. */
    List<String> slowBatches() {
        return inboxes.stream()
                .flatMap(inbox -> inbox.slowBatches().stream()
                        .map(batch -> "consumer '" + inbox.consumer() + "': a batch has been in work for " + batch
                                + "; its messages wait, and in the end so does all that its thread is to do"))
                .toList();
    }

    void close() {
        thread.shutdownNow();
        report();
    }
}
