package io.pigeonhole.kafka;

import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of a consumer on the poll thread, which only {@code close()} ends. A consumer refuses what an interrupted thread asks of
 * it, and its exception leaves the thread interrupted, so that it would refuse the next call, too.
 */
final class Uninterrupted {
    private static final Logger log = LoggerFactory.getLogger(Uninterrupted.class);

    private Uninterrupted() {}

    /** Makes a call that may be made twice, and makes it again where it was interrupted. */
    static void call(Runnable call) {
        get(() -> {
            call.run();
            return true;
        });
    }

    /** The same for a call with an answer. */
    static <R> R get(Supplier<R> call) {
        while (true) {
            try {
                return call.get();
            } catch (InterruptException e) {
                clear();
            }
        }
    }

    /** Forgets an interrupt. */
    static void clear() {
        if (Thread.interrupted()) {
            log.debug("somebody interrupted {}; only close() ends it", Thread.currentThread());
        }
    }
}
