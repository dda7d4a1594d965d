package io.pigeonhole.jdbc.transaction;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.PigeonholeException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.jdbc.sql.ErrorsWithoutValues;
import io.pigeonhole.jdbc.sql.Refusals;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Repairs what a refused statement may have shown to be wrong with the tables, such as a day of the history that is missing.
 * Whoever was refused has a connection, and perhaps the only one of the pool, so the repair comes before the next transaction
 * of the same thread. Threads that were not refused never wait for it, and never fail for it. A database gives one code to a
 * table that is wrong and to a constraint that refuses a message; which of both it is shows in a transaction that begins after
 * the repair. Where the repair is impossible until a person acts, whoever is refused with that code gets that as his error.
 * Where it fails for now, because others hold locks for instance, it is tried again after five seconds, and whoever is
 * refused meanwhile gets an error that may be retried. Whoever is refused later may try again at once, so that his own
 * thread repairs: the one that repaired in vain may have ended. Kept in memory: after a crash the first refusal finds it
 * anew. Safe for use by many threads.
 */
public final class PendingRepair {
    /** For so long what was repaired is right. */
    private static final long CERTAIN = Duration.ofMinutes(1).toNanos();

    /** Whoever repairs may wait for locks, or hang. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** How long a repair that failed is left alone, and how long an obstacle is taken for present. */
    private static final long REST = Duration.ofSeconds(5).toNanos();

    private final String wrong;
    private final Supplier<@Nullable String> repair;
    private final LongSupplier nanos;
    private final Duration longestWait;
    private final ReentrantLock repairing = new ReentrantLock();
    private final ThreadLocal<Boolean> refused = new ThreadLocal<>();
    private volatile boolean isSuspected;
    private volatile long repairedAt;
    private volatile @Nullable Obstacle obstacle;

    /**
     * Why it could not be repaired.
     *
     * @param what the message for whoever is refused
     * @param cause of it; null where it is a person's task
     * @param foundAt when the repair met it
     */
    private record Obstacle(String what, @Nullable PigeonholeException cause, long foundAt) {}

    /**
     * A repair.
     *
     * @param wrong what it is for, as a sentence
     * @param repair does it; what a person has to do where it is impossible, or null
     * @param nanos the time
     */
    public PendingRepair(String wrong, Supplier<@Nullable String> repair, LongSupplier nanos) {
        this(wrong, repair, nanos, LONGEST_WAIT);
    }

    /** With another limit to how long a transaction waits for another one's repair. */
    public PendingRepair(String wrong, Supplier<@Nullable String> repair, LongSupplier nanos, Duration longestWait) {
        this.wrong = wrong;
        this.repair = repair;
        this.nanos = nanos;
        this.longestWait = longestWait;
        this.repairedAt = nanos.getAsLong() - CERTAIN;
    }

    /**
     * Before a transaction. Repairs where this thread was refused, or waits while another thread does so, but not without end;
     * all others go on at once.
     */
    public void repairWhereSuspected() {
        if (refused.get() == null) {
            return;
        }
        // Also where another thread has repaired it meanwhile: this one would wait for the next repair, without a
        // refusal.
        refused.remove();
        if (!isSuspected || rests()) {
            return;
        }
        lock();
        try {
            if (isSuspected && !rests()) {
                repair();
            }
        } finally {
            repairing.unlock();
        }
    }

    private boolean rests() {
        Obstacle known = obstacle;
        return known != null && known.cause() != null && isPresent(known);
    }

    private boolean isPresent(Obstacle known) {
        return nanos.getAsLong() - known.foundAt() < REST;
    }

    private void lock() {
        boolean locked = false;
        try {
            locked = repairing.tryLock(longestWait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!locked) {
            throw new StoreUnavailableException(
                    wrong + ", and another thread has not repaired it within " + longestWait.toSeconds() + " s", null);
        }
    }

    /** What fails for now is no failure of the transaction that is about to begin. */
    private void repair() {
        try {
            String found = repair.get();
            if (found == null) {
                repairedAt = nanos.getAsLong();
            }
            obstacle = found == null ? null : new Obstacle(found, null, nanos.getAsLong());
            isSuspected = false;
        } catch (PigeonholeException e) {
            String what = wrong + ", and could not be repaired yet: " + e.getMessage();
            obstacle = new Obstacle(what, e, nanos.getAsLong());
        }
    }

    /** When a transaction begins. */
    public long now() {
        return nanos.getAsLong();
    }

    /** After a refusal with the code: whether the tables may be wrong, so that the same should be tried again. */
    public boolean isSuspected(long begunAt) {
        boolean isRight = obstacle == null && begunAt - repairedAt >= 0 && begunAt - repairedAt < CERTAIN;
        if (isRight) {
            return false;
        }
        refused.set(true);
        isSuspected = true;
        return true;
    }

    /** The message for whoever was refused: that the same may be tried again at once, or why it has to wait. */
    public RuntimeException refusal(String doing, SQLException failure) {
        Obstacle known = obstacle;
        if (known == null || !isPresent(known)) {
            return Refusals.of(ErrorClass.RETRY_NOW, doing, failure);
        }
        Throwable cause = known.cause();
        return new StoreUnavailableException(known.what(), cause == null ? ErrorsWithoutValues.of(failure) : cause);
    }
}
