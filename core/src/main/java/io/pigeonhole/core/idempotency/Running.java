package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.MessageKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The requests that this process handles now. Another one with the same key is answered by it alone, without a connection; so a burst
 * of retries does not use up the pool. For requests in steps the database is asked, whose lease may run out before the handler returns.
 * Safe for use by many threads.
 */
final class Running {
    /** How long to wait before the database is asked again for a request that another node handles. */
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<MessageKey, CountDownLatch> requests = new ConcurrentHashMap<>();

    boolean begin(MessageKey key) {
        return requests.putIfAbsent(key, new CountDownLatch(1)) == null;
    }

    void end(MessageKey key) {
        CountDownLatch ended = requests.remove(key);
        if (ended != null) {
            ended.countDown();
        }
    }

    /** Waits until it may be worth to try again; false where it is not, and where the thread was interrupted, which it is again then. */
    boolean await(MessageKey key, long nanos, boolean inSteps) {
        CountDownLatch here = requests.get(key);
        try {
            if (here == null || inSteps) {
                // Another node has it, or its lease may run out first: nobody counts this one down.
                return !new CountDownLatch(1).await(Math.min(nanos, LONGEST_PAUSE), TimeUnit.NANOSECONDS);
            }
            return here.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    int count() {
        return requests.size();
    }
}
