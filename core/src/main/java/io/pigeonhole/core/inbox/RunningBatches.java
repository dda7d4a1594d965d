package io.pigeonhole.core.inbox;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The batches that are in work in this process, so that one that does not end is seen. Safe for use by many threads. */
final class RunningBatches {
    private final Duration limit;
    private final Listeners listeners;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();

    RunningBatches(Duration limit, Listeners listeners) {
        this.limit = limit;
        this.listeners = listeners;
    }

    /** A batch in work, until its end. */
    final class Running {
        private final Thread thread = Thread.currentThread();
        private final long since = System.nanoTime();
        private boolean reported;

        /** Once, however many ask for it at once. */
        private synchronized void report() {
            Duration inWork = inWork();
            if (!reported && inWork.compareTo(limit) >= 0) {
                reported = true;
                listeners.slowBatch(inWork, thread);
            }
        }

        private Duration inWork() {
            return Duration.ofNanos(System.nanoTime() - since);
        }

        void end() {
            running.remove(this);
        }
    }

    Running begin() {
        Running batch = new Running();
        running.add(batch);
        return batch;
    }

    /** The batches that have been in work for longer than the limit: how long, and on which thread. */
    List<String> slow() {
        return running.stream()
                .filter(batch -> batch.inWork().compareTo(limit) >= 0)
                .map(batch -> batch.inWork().toSeconds() + " s on thread '" + batch.thread.getName() + "'")
                .toList();
    }

    void report() {
        running.forEach(Running::report);
    }
}
