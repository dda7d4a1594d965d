package io.pigeonhole.kafka;

import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Poll loops one after another, each with a consumer of its own, until the source is closed or Kafka refuses it for good. Whatever
 * else ends one, another begins after a pause where the group's offsets, or the watermarks, say: so nothing that the consumer had
 * taken and not handed over is left out.
 */
final class PollLoops implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(PollLoops.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final String name;
    private final Supplier<PollLoop> next;
    private final PollFailures pollFailures;
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile PollLoop current;
    private volatile @Nullable Throwable failure;
    private boolean hasWorked;
    private int failures;

    /** With the first one, which was made where wrong settings are thrown to whoever starts the source. */
    PollLoops(String name, PollLoop first, Supplier<PollLoop> next, PollFailures pollFailures) {
        this.name = name;
        this.current = first;
        this.next = next;
        this.pollFailures = pollFailures;
    }

    /** Why it ended by itself, or null. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The one that runs, or ran last. */
    PollLoop current() {
        return current;
    }

    /** Makes {@link #run} finish what is in work, commit and return. */
    void close() {
        closing.countDown();
        current.close();
    }

    @Override
    public void run() {
        Throwable end = runCurrent();
        while (end != null && closing.getCount() > 0) {
            if (PollErrors.isFinal(end, hasWorked)) {
                failure = end;
                log.error(
                        "{}: gives up; it takes no more messages until it is started anew",
                        name,
                        FailureText.readable(end));
                return;
            }
            end = runNext(end);
        }
    }

    private @Nullable Throwable runNext(Throwable before) {
        try {
            pollFailures.is(before, "the consumer is given up, another one begins soon");
            pause();
            if (closing.getCount() == 0) {
                return null;
            }
            PollLoop loop = next.get();
            current = loop;
            if (closing.getCount() == 0) {
                // It came too late to be closed by whoever closes the source.
                loop.close();
            }
        } catch (Throwable e) {
            return e;
        }
        return runCurrent();
    }

    private @Nullable Throwable runCurrent() {
        PollLoop loop = current;
        loop.run();
        if (loop.hasWorked()) {
            hasWorked = true;
        }
        if (loop.hasRecovered()) {
            failures = 0;
        }
        return loop.failure();
    }

    private void pause() {
        long longest = LONGEST_PAUSE.toMillis();
        long millis = Math.min(longest, FIRST_PAUSE.toMillis() << Math.min(failures++, 16));
        try {
            boolean closed = closing.await(millis, TimeUnit.MILLISECONDS);
            log.debug("{}: going on{}", name, closed ? " to close" : "");
        } catch (InterruptedException e) {
            log.debug("{}: interrupted, going on", name, e);
        }
    }
}
