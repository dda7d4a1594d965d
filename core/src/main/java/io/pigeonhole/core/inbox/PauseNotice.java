package io.pigeonhole.core.inbox;

import io.pigeonhole.core.failure.ConsumerPausedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once that a consumer is paused, and once that it goes on, by whatever thread that is met first: a pause is somebody's decision, and
 * no failure. Safe for use by many threads.
 */
final class PauseNotice {
    private static final Logger log = LoggerFactory.getLogger(PauseNotice.class);

    private final String consumer;
    private final AtomicBoolean paused = new AtomicBoolean();

    PauseNotice(String consumer) {
        this.consumer = consumer;
    }

    /** Does what is refused while the consumer is paused. */
    <T> T watch(Supplier<T> call) {
        return watch(call, answer -> true);
    }

    /** The same where only some answers show that the consumer is not paused. */
    <T> T watch(Supplier<T> call, Predicate<T> showsIt) {
        T answer;
        try {
            answer = call.get();
        } catch (ConsumerPausedException e) {
            if (paused.compareAndSet(false, true)) {
                log.info(
                        "consumer '{}' is paused: nothing of it is taken until somebody resumes it (Admin.resume). Who has paused it,"
                                + " when and why is on record (Admin.audit)",
                        consumer);
            }
            throw e;
        }
        if (paused.get() && showsIt.test(answer) && paused.compareAndSet(true, false)) {
            log.info("consumer '{}' is not paused any more, it goes on", consumer);
        }
        return answer;
    }
}
