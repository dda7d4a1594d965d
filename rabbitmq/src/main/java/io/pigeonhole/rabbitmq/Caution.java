package io.pigeonhole.rabbitmq;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How carefully to begin with a queue, after what happened before. A quorum queue counts each delivery that comes back
 * unacknowledged, and throws a message away that came back too often: at most one message may come back each time that
 * nothing else is achieved, and not without end.
 *
 * <p>Used by the thread of one queue. A crash forgets it; the next process, too, begins with one message, because it may be one
 * of many that die, such as of the memory that a whole prefetch needs.
 */
final class Caution {
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** Whoever consumed for so long without an end has achieved something, also where there was nothing to acknowledge. */
    private static final Duration LONG_LIFE = Duration.ofMinutes(5);

    /** For how long the first subscription that follows an end waits for what is slow. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** How many ends in a row a message that is behind a slow one may come back for. A quorum queue may throw it away after 20. */
    private static final int ENDS_WITH_SHORT_TIMEOUT = 10;

    /** How many requests that the broker may have kept are followed by another one soon. */
    private static final int SOON_AGAIN = 3;

    private static final int STEP = 8;
    private static final int PROOF = 16;

    private final int prefetch;
    private final Duration retryPause;
    private int proven;
    private boolean careful;
    private int refusals;
    private int leftUnanswered;
    private int fruitless;
    private int faults;
    private int ends;
    private Duration lastLife = Duration.ZERO;

    /** How a subscription ended that achieved nothing, where a message may be the cause. */
    enum Fault {
        /** Taking a delivery threw something. */
        THROWN(5),
        /** The connection was lost before the first delivery, although messages were waiting. */
        LOST_BEFORE_DELIVERY(5),
        /** The client ended the connection because it could not read what came. That will not change. */
        UNREADABLE(2);

        private final int mostRetries;

        Fault(int mostRetries) {
            this.mostRetries = mostRetries;
        }
    }

    Caution(int prefetch, Duration retryPause) {
        this.prefetch = prefetch;
        this.proven = prefetch;
        this.retryPause = retryPause;
    }

    /** Whether a subscription has ended by itself before. */
    boolean isCareful() {
        return careful;
    }

    /** With how many messages each subscription begins. */
    int first() {
        return 1;
    }

    /**
     * How many messages a subscription may take after so many are settled as it took before: eight times as many up to
     * an eighth of what the last one had when it ended. To take more than that it has to settle sixteen times what it takes.
     * So a subscription comes to a message that ends its connection with few others, and after three or four ends alone.
     *
     * @param limit how many it takes
     * @return how many it takes next
     */
    int more(int limit) {
        long more = (long) limit * STEP;
        return (int) Math.min(limit < proven ? Math.min(more, proven) : more, prefetch);
    }

    /** How many messages have to be settled with this limit before more are taken. */
    int proofOf(int limit) {
        return limit < proven ? limit : limit * PROOF;
    }

    /** For how long the next connection has to stay open before it may consume. */
    Duration trial() {
        Duration trial = fruitless == 0 ? Duration.ZERO : doubled(fruitless);
        return leftUnanswered < SOON_AGAIN ? trial : longer(trial, LONG_LIFE);
    }

    /**
     * For how long a subscription waits for what is not settled before it takes more beside: twice as long after each end, up to a
     * minute, because what is behind a slow message comes back with each end too. But not for longer than a quarter of the
     * last subscription's life, so that something gets past a slow message where connections are short; until that was
     * tried ten times.
     */
    Duration timeout() {
        Duration timeout = TIMEOUT.multipliedBy(1L << Math.min(Math.max(0, ends - 1), 10));
        Duration longest = ends > ENDS_WITH_SHORT_TIMEOUT ? LONGEST_PAUSE : longer(TIMEOUT, lastLife.dividedBy(4));
        return shorter(timeout, shorter(longest, LONGEST_PAUSE));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** The broker refused something, so that nothing was delivered; how long to wait before it is asked again. */
    Duration refused() {
        refusals++;
        return doubled(refusals);
    }

    /** The broker lets it consume. */
    void begun() {
        refusals = 0;
        leftUnanswered = 0;
    }

    /**
     * A request to consume came to an end without its answer, after long. A quorum queue without a majority may have it in its log:
     * then it counts as a delivery of the first message when the majority is back.
     */
    void leftUnanswered() {
        leftUnanswered++;
    }

    /** A connection was lost in its trial: the network is the cause, so shorter trials find out more. */
    void lostInTrial() {
        fruitless = Math.max(0, fruitless - 1);
    }

    /**
     * A subscription ended by itself.
     *
     * @param limit how many messages it took at once
     * @param acknowledged whether it acknowledged anything
     * @param lived for how long it consumed
     * @param fault how it ended, or null where no message can be the cause
     * @return false if the queue is to be given up, so that the broker throws nothing away
     */
    boolean ended(int limit, boolean acknowledged, Duration lived, @Nullable Fault fault) {
        careful = true;
        lastLife = lived;
        ends = lived.compareTo(LONG_LIFE) > 0 ? 1 : ends + 1;
        proven = Math.max(1, limit / STEP);
        if (acknowledged || lived.compareTo(LONG_LIFE) > 0) {
            fruitless = 0;
            faults = 0;
            return true;
        }
        fruitless++;
        faults = fault == null ? 0 : faults + 1;
        return fault == null || faults <= fault.mostRetries;
    }

    private Duration doubled(int times) {
        Duration longest = retryPause.compareTo(LONGEST_PAUSE) > 0 ? retryPause : LONGEST_PAUSE;
        Duration pause = retryPause.multipliedBy(1L << Math.min(times - 1, 20));
        return pause.compareTo(longest) > 0 ? longest : pause;
    }
}
