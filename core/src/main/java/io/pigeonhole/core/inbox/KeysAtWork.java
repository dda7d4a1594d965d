package io.pigeonhole.core.inbox;

import io.pigeonhole.core.message.MessageKey;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The keys that threads of this process are about to claim, or work on. Concurrent duplicates within a process wait here, and
 * not in the database, where each would keep a connection. Safe for use by many threads.
 */
final class KeysAtWork {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private final Map<MessageKey, Thread> keys = new HashMap<>();

    /**
     * Enters keys, after a wait for those that other threads have. Nothing is entered while it waits, so that no two threads
     * wait for each other.
     *
     * @param wanted the keys; those that others still have are taken out of it, so that it holds those that are entered
     * @param timeout how long to wait
     * @return those of them that others still have; all others are entered, and are to be {@linkplain #leave left}
     */
    Set<MessageKey> enter(Collection<MessageKey> wanted, Duration timeout) {
        lock.lock();
        try {
            Set<MessageKey> busy = busy(wanted);
            long nanos = timeout.toNanos();
            while (!busy.isEmpty() && nanos > 0) {
                nanos = left.awaitNanos(nanos);
                busy = busy(wanted);
            }
            return enterBut(busy, wanted);
        } catch (InterruptedException e) {
            // Whoever goes on finds the thread interrupted.
            Thread.currentThread().interrupt();
            return enterBut(busy(wanted), wanted);
        } finally {
            lock.unlock();
        }
    }

    private Set<MessageKey> enterBut(Set<MessageKey> busy, Collection<MessageKey> wanted) {
        if (!busy.isEmpty()) {
            wanted.removeAll(busy);
        }
        try {
            for (MessageKey key : wanted) {
                keys.put(key, Thread.currentThread());
            }
        } catch (Throwable e) {
            // The memory is used up, most likely. Nobody would leave what was entered.
            wanted.forEach(keys::remove);
            throw e;
        }
        return busy;
    }

    private Set<MessageKey> busy(Collection<MessageKey> wanted) {
        Set<MessageKey> busy = Set.of();
        if (keys.isEmpty()) {
            return busy;
        }
        for (MessageKey key : wanted) {
            if (keys.containsKey(key)) {
                busy = busy.isEmpty() ? new HashSet<>() : busy;
                busy.add(key);
            }
        }
        return busy;
    }

    void leave(Collection<MessageKey> entered) {
        lock.lock();
        try {
            for (MessageKey key : entered) {
                // Another thread may have it by now.
                keys.remove(key, Thread.currentThread());
            }
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whatever a thread has entered is left, although the thread may never come back to do so. */
    void leaveAllOf(Thread thread) {
        lock.lock();
        try {
            keys.values().removeIf(thread::equals);
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
