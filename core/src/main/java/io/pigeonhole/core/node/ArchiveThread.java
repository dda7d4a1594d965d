package io.pigeonhole.core.node;

import io.pigeonhole.core.store.Retention;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.time.BoundedWait;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the steps of the maintenance that wait for an archive, on a daemon thread of their own: an archive may not answer for ever, such
 * as a disk that is mounted from a server which is gone, and all else is to be deleted meanwhile. There is one such thread
 * at most. Used by one thread, except {@link #piece}.
 */
final class ArchiveThread {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration WARN_AGAIN = Duration.ofHours(6);

    private final Retention retention;
    private final LongSupplier clock;
    private final Consumer<String> warning;
    private @Nullable Thread thread;
    private volatile @Nullable Long begunAt;
    private @Nullable Long warnedAt;

    ArchiveThread(Retention retention, LongSupplier clock, Consumer<String> warning) {
        this.retention = retention;
        this.clock = clock;
        this.warning = warning;
    }

    /** Lets a thread do this, unless the one before is still at it. */
    void begin(Runnable pieces) {
        if (thread != null && thread.isAlive()) {
            return;
        }
        Thread next = new Thread(pieces, "pigeonhole-archive");
        next.setDaemon(true);
        next.start();
        thread = next;
    }

    /** A piece of work, for {@link #begin}. */
    Retired piece() {
        begunAt = clock.getAsLong();
        try {
            return retention.retireArchived();
        } finally {
            begunAt = null;
        }
    }

    /** Warns of a piece that has taken long, and again from time to time. */
    void warnWhereItHangs() {
        Long begun = begunAt;
        if (begun == null) {
            warnedAt = null;
            return;
        }
        long now = clock.getAsLong();
        Long warned = warnedAt;
        if (now - begun < LONG.toNanos() || (warned != null && now - warned < WARN_AGAIN.toNanos())) {
            return;
        }
        warnedAt = now;
        warning.accept("the archive of the history has not come back for "
                + Duration.ofNanos(now - begun).toMinutes()
                + " min: its day is large, or the disk does not answer. The history stays meanwhile, all else is"
                + " deleted. Where it does not come back at all, mend the disk, or start the program again");
    }

    /** Whether it has ended within this time. */
    boolean hasEnded(Duration timeout) {
        return thread == null || BoundedWait.join(thread, timeout);
    }
}
