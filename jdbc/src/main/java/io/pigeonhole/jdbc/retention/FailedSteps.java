package io.pigeonhole.jdbc.retention;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.time.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one step of the upkeep that fails, such as a day that cannot be dropped, from stopping the others: it is logged with
 * its cause, and left alone for half an hour. Only where the database is away the upkeep ends. Kept in memory, per store; after
 * a crash each step is simply tried again. Safe for use by many threads.
 */
public final class FailedSteps {
    private static final Logger LOG = LoggerFactory.getLogger(FailedSteps.class);
    private static final Duration REST = Duration.ofMinutes(30);

    /**
     * A step of the upkeep.
     *
     * @param doing what it does, the same each time
     * @param run does a piece of it
     */
    record Step(String doing, Supplier<Retired> run) {}

    private final LongSupplier nanos;
    private final Map<String, Long> failedAt = new ConcurrentHashMap<>();

    /**
     * Steps that failed; none yet.
     *
     * @param nanos the time
     */
    public FailedSteps(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Takes one step after the other, until one has done something. */
    Retired firstOf(List<Step> steps) {
        for (Step step : steps) {
            Retired done = attempt(step.doing(), Retired.NOTHING, step.run());
            if (done.more()) {
                return done;
            }
        }
        return Retired.NOTHING;
    }

    /**
     * Takes a step.
     *
     * @param doing what it does, the same each time
     * @param otherwise the answer where it fails, or has failed a short while ago
     * @param step does it
     */
    public <T> T attempt(String doing, T otherwise, Supplier<T> step) {
        if (rests(doing)) {
            return otherwise;
        }
        try {
            return step.get();
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            if (isPassing(e)) {
                LOG.info("{} fails for now; all else goes on, and the next call tries again", doing, e);
            } else {
                failedAt.put(doing, nanos.getAsLong());
                LOG.warn(
                        "{} fails; all else goes on, and this is tried again after {}",
                        doing,
                        DurationText.of(REST),
                        e);
            }
            return otherwise;
        }
    }

    /** Whether another transaction was in the way, so that the same may succeed at any moment. */
    public static boolean isPassing(RuntimeException e) {
        return e instanceof StoreException refused && refused.errorClass() == ErrorClass.RETRY_NOW;
    }

    private boolean rests(String doing) {
        Long at = failedAt.get(doing);
        if (at == null) {
            return false;
        }
        if (nanos.getAsLong() - at < REST.toNanos()) {
            return true;
        }
        failedAt.remove(doing, at);
        return false;
    }
}
