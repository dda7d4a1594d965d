package io.pigeonhole.testkit.memory;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;

/** Who holds what. Used under the lock of the tables, which a wait gives up meanwhile. */
final class Locks {
    private final Map<Lock, Changes> holders = new HashMap<>();
    private final Condition released;

    Locks(Condition released) {
        this.released = released;
    }

    /** Whether nobody else holds it. A holder that was idle for too long is put out. */
    boolean isFree(Lock lock, Changes asking) {
        Changes holder = holders.get(lock);
        return holder == null || holder == asking || holder.expireIfIdle();
    }

    boolean isHeldBy(Changes asking, Lock lock) {
        return holders.get(lock) == asking;
    }

    void hold(Lock lock, Changes holder) {
        holders.put(lock, holder);
    }

    void release(Lock lock) {
        holders.remove(lock);
        released.signalAll();
    }

    /**
     * Waits until all are free, as a database driver does, whom an interrupt does not disturb.
     *
     * @return false if one of them was not free in time
     */
    boolean awaitFree(Collection<? extends Lock> locks, Changes asking, long timeout) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + timeout;
        long toWait = nanosToWait(locks, asking);
        while (toWait > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                long ignored = released.awaitNanos(Math.min(left, toWait));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            toWait = nanosToWait(locks, asking);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return toWait == 0;
    }

    /** Until a holder may be put out; nothing where all are free. */
    private long nanosToWait(Collection<? extends Lock> locks, Changes asking) {
        for (Lock lock : locks) {
            Changes holder = holders.get(lock);
            if (holder != null && !isFree(lock, asking)) {
                return Math.max(1, holder.nanosToExpiry());
            }
        }
        return 0;
    }
}
