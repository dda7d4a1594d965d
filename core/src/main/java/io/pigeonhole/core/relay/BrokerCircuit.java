package io.pigeonhole.core.relay;

import io.pigeonhole.core.failure.FailureText;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a broker takes messages. While it does not, a few messages at a time are tried, after pauses that grow. Where it takes some and
 * not others, such as with one queue that is full, it is not away. Safe for use by many threads.
 */
final class BrokerCircuit {
    private static final Logger log = LoggerFactory.getLogger(BrokerCircuit.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    /** A confirmation says that the broker is there for as long as this at least. */
    private static final Duration LATELY = Duration.ofMinutes(1);

    private final String relay;
    private final LongSupplier nanos;
    private final Duration lately;
    private @Nullable Throwable failure;
    private boolean isTrying;
    private long confirmations;
    private long confirmedAt;

    /** When a place may try again, while the broker is away; those that have not tried may at once. */
    private final Map<Place, Pause> pauses = new HashMap<>();

    /** How many confirmations there had been when nothing was taken at a place, since it last took something there. */
    private final Map<Place, Long> confirmationsBefore = new HashMap<>();

    /**
     * Where messages come from.
     *
     * @param workPartition their work partition
     * @param again whether they were tried before
     */
    record Place(int workPartition, boolean again) {}

    private record Pause(long until, Duration length) {}

    /** @param publishTimeout how long it may take until it shows that messages are not taken */
    BrokerCircuit(String relay, Duration publishTimeout, LongSupplier nanos) {
        this.relay = relay;
        this.nanos = nanos;
        Duration twice = publishTimeout.multipliedBy(2);
        this.lately = twice.compareTo(LATELY) < 0 ? LATELY : twice;
    }

    /** What may be tried now. */
    enum Permit {
        /** As much as there is. */
        ALL,
        /** A few messages, to find out; {@link #published} or {@link #gaveUp} follows. */
        FEW,
        NONE
    }

    synchronized Permit ask(Place place) {
        if (failure == null) {
            return Permit.ALL;
        }
        if (isTrying || !opensIn(place).isZero()) {
            return Permit.NONE;
        }
        isTrying = true;
        return Permit.FEW;
    }

    /** How long until something may be tried that comes from a place. */
    synchronized Duration opensIn(Place place) {
        Pause pause = pauses.get(place);
        return failure == null || pause == null
                ? Duration.ZERO
                : Duration.ofNanos(Math.max(0, pause.until() - nanos.getAsLong()));
    }

    /** Somebody who had a permit has published nothing. */
    synchronized void gaveUp(Permit permit) {
        isTrying &= permit != Permit.FEW;
    }

    /**
     * Messages of a place were handed to the publisher.
     *
     * @param confirmed whether the broker has confirmed one of them
     * @param unavailable why it took nothing, of one of them at least; null where there is none
     * @return whether that concerns these messages only, as it takes others
     */
    synchronized boolean published(Place place, Permit permit, boolean confirmed, @Nullable Throwable unavailable) {
        // One that had the permit for all may have begun before the broker went away, and says nothing.
        boolean takesOthers = confirmed && (failure == null || permit == Permit.FEW);
        boolean ofMessages = unavailable != null && (takesOthers || takesThoseOfOtherPlaces(place));
        if (takesOthers) {
            confirmations++;
            confirmedAt = nanos.getAsLong();
            close();
        }
        if (unavailable == null || takesOthers) {
            confirmationsBefore.remove(place);
            if (permit == Permit.FEW) {
                // All were refused: the broker answers, or its client does for it, which the next batch shows.
                close();
            }
        } else {
            confirmationsBefore.putIfAbsent(place, confirmations);
            if (!ofMessages) {
                open(unavailable);
            }
            if (failure != null) {
                pauses.merge(place, pause(FIRST_PAUSE), (before, first) -> pause(longer(before.length())));
            }
        }
        gaveUp(permit);
        return ofMessages;
    }

    private boolean takesThoseOfOtherPlaces(Place place) {
        Long before = confirmationsBefore.get(place);
        // What was tried before waits where it is: nothing is moved by believing it.
        boolean isLate = !place.again() && nanos.getAsLong() - confirmedAt >= lately.toNanos();
        return before != null && confirmations > before && !isLate;
    }

    private void open(Throwable cause) {
        if (failure == null) {
            log.warn(
                    "{}: the broker takes nothing; a few messages are tried again and again until it does, no attempt counts",
                    relay,
                    FailureText.readable(cause));
        } else {
            log.debug("{}: the broker still takes nothing", relay, cause);
        }
        failure = cause;
    }

    private Pause pause(Duration length) {
        long whole = length.toNanos();
        long until = nanos.getAsLong() + whole - ThreadLocalRandom.current().nextLong(whole / 5);
        return new Pause(until, length);
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    private void close() {
        if (failure != null) {
            failure = null;
            pauses.clear();
            log.info("{}: the broker takes messages again", relay);
        }
    }

    /** There is nothing to publish, so that nobody waits for the broker; whether it is there shows with the next message. */
    synchronized void nothingToPublish() {
        if (!isTrying) {
            failure = null;
            pauses.clear();
        }
    }

    /** Nothing is to be published from any other place: what was not taken there is gone, whoever has published it. */
    synchronized void onlyAt(Set<Place> places) {
        confirmationsBefore.keySet().retainAll(places);
    }

    /** Why nothing is published, or null. */
    synchronized @Nullable String problem() {
        return failure == null ? null : FailureText.describe(failure);
    }
}
