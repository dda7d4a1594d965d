package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a broker takes messages. While it does not, one message at a time is tried, after pauses that grow. Safe for use by many
 * threads.
 */
final class BrokerCircuit {
    private static final Logger log = LoggerFactory.getLogger(BrokerCircuit.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final String relay;
    private final LongSupplier nanos;
    private @Nullable Throwable failure;
    private Duration pause = FIRST_PAUSE;
    private long tryAt;
    private boolean isTrying;

    BrokerCircuit(String relay, LongSupplier nanos) {
        this.relay = relay;
        this.nanos = nanos;
    }

    /** What may be tried now. */
    enum Permit {
        /** As much as there is. */
        ALL,
        /** One message, to find out; {@link #failed}, {@link #succeeded} or {@link #gaveUp} follows. */
        ONE,
        NONE
    }

    synchronized Permit ask() {
        if (failure == null) {
            return Permit.ALL;
        }
        if (isTrying || nanos.getAsLong() - tryAt < 0) {
            return Permit.NONE;
        }
        isTrying = true;
        return Permit.ONE;
    }

    /** How long until something may be tried. */
    synchronized Duration opensIn() {
        if (failure == null) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.max(0, tryAt - nanos.getAsLong()));
    }

    /** Somebody who had a permit has published nothing. */
    synchronized void gaveUp(Permit permit) {
        isTrying &= permit != Permit.ONE;
    }

    synchronized void failed(Permit permit, Throwable cause) {
        boolean first = failure == null;
        if (first || permit == Permit.ONE) {
            pause = first ? FIRST_PAUSE : longer(pause);
            long whole = pause.toNanos();
            tryAt = nanos.getAsLong() + whole - ThreadLocalRandom.current().nextLong(whole / 5);
        }
        failure = cause;
        gaveUp(permit);
        if (first) {
            log.warn(
                    "{}: the broker takes nothing; one message is tried again and again until it does, no attempt counts",
                    relay,
                    FailureText.readable(cause));
        } else {
            log.debug("{}: the broker still takes nothing", relay, cause);
        }
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    /** One that had the permit for all began before the broker went away, and says nothing. */
    synchronized void succeeded(Permit permit) {
        if (failure != null && permit == Permit.ONE) {
            failure = null;
            log.info("{}: the broker takes messages again", relay);
        }
        gaveUp(permit);
    }

    /** Why nothing is published, or null. */
    synchronized @Nullable String problem() {
        return failure == null ? null : FailureText.describe(failure);
    }
}
