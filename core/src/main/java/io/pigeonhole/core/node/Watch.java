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
        inboxes.forEach(inbox -> survive("what was done could not be reported", inbox::reportOutcomes));
    }

    private void look() {
        inboxes.forEach(
                inbox -> survive("a look for batches that do not end failed; looking again", inbox::lookAtBatches));
    }

    /** Whatever is thrown, the next inbox and the next time have their turn: the executor ends a task that throws. */
    private static void survive(String failed, Runnable look) {
        try {
            look.run();
        } catch (Throwable e) {
            try {
                log.warn(failed, e);
            } catch (Throwable again) {
                // An appender of the application failed, or the memory is used up: there is nowhere to say so.
                Thread.interrupted();
            }
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
