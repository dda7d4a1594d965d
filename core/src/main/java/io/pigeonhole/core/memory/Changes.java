package io.pigeonhole.core.memory;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.ClaimBlockedException;
import io.pigeonhole.core.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What one open transaction has done so far: a list that is thrown away or applied as a whole. Its claims are visible to
 * others as held rows, everything else only to itself. As in PostgreSQL, a claim that was blocked leaves the transaction
 * aborted: it can only go back to the savepoint or end.
 */
final class Changes {
    private enum State {
        OPEN,
        ABORTED,
        EXPIRED,
        ENDED
    }

    private final Tables tables;
    private final long idleLimitNanos;
    private final List<Change> log = new ArrayList<>();
    private State state = State.OPEN;
    private int savepoint = -1;
    private long lastUsed = System.nanoTime();

    Changes(Tables tables, Duration idleLimit) {
        this.tables = tables;
        this.idleLimitNanos = Nanos.of(idleLimit);
    }

    Claim claim(short consumer, List<MessageKey> keys, Duration patience) {
        return inTurn(() -> {
            awaitHolders(consumer, keys, Nanos.of(patience));
            Set<MessageKey> claimed = new HashSet<>();
            for (MessageKey key : keys) {
                Row row = new Row(consumer, key);
                if (!tables.isOutsideHorizon(key) && !tables.isAccepted(row, this)) {
                    tables.holders.put(row, this);
                    log.add(new Change.Claimed(row));
                    claimed.add(key);
                }
            }
            return new Claim(claimed, tables.oldest, tables.newest);
        });
    }

    /** Waits as a database driver does, whom an interrupt does not disturb. */
    private void awaitHolders(short consumer, List<MessageKey> keys, long patience) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + patience;
        long toWait = nanosToWait(consumer, keys);
        while (toWait > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                state = State.ABORTED;
                break;
            }
            try {
                long ignored = tables.ended.awaitNanos(Math.min(left, toWait));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            toWait = nanosToWait(consumer, keys);
        }
        lastUsed = System.nanoTime();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (state == State.ABORTED) {
            throw new ClaimBlockedException(
                    "another transaction holds one of " + keys.size() + " keys and did not end within "
                            + Duration.ofNanos(patience).toMillis() + " ms",
                    null);
        }
    }

    /** Until a holder of the keys may be put out; nothing where nobody holds one. */
    private long nanosToWait(short consumer, List<MessageKey> keys) {
        for (MessageKey key : keys) {
            Changes holder = tables.holders.get(new Row(consumer, key));
            if (holder != null && holder != this && !holder.expireIfIdle()) {
                return holder.nanosToExpiry();
            }
        }
        return 0;
    }

    void add(Change change) {
        inTurn(() -> log.add(change));
    }

    boolean holds(Row row) {
        return tables.read(all -> all.holders.get(row) == this);
    }

    /** Whether a key is in work or in the dead letters, by others' commits or by this transaction. */
    boolean isKnown(Row row) {
        return inTurn(() -> tables.isUnfinishedOrDead(row) || log.stream().anyMatch(change -> change.keeps(row)));
    }

    boolean isAccepted(Row row) {
        return inTurn(() -> tables.isAccepted(row, this));
    }

    void savepoint() {
        inTurn(() -> savepoint = log.size());
    }

    void rollbackToSavepoint() {
        tables.write(all -> {
            expireIfIdle();
            if (savepoint < 0 || state == State.EXPIRED || state == State.ENDED) {
                throw new IllegalStateException("there is no savepoint to go back to");
            }
            List<Change> undone = log.subList(savepoint, log.size());
            release(undone);
            undone.clear();
            state = State.OPEN;
            lastUsed = System.nanoTime();
        });
    }

    void check() {
        inTurn(() -> state);
    }

    void commit() {
        inTurn(() -> {
            try {
                for (Change change : log) {
                    if (change instanceof Change.Effect effect) {
                        effect.action().run();
                    }
                }
            } catch (RuntimeException e) {
                end(State.ENDED);
                throw new StoreException(ErrorClass.MESSAGE, "rolled back: a deferred effect failed: " + e, e);
            }
            log.forEach(tables::apply);
            end(State.ENDED);
            return state;
        });
    }

    void close() {
        tables.write(all -> {
            if (state != State.ENDED) {
                end(State.ENDED);
            }
        });
    }

    private <R> R inTurn(Supplier<R> work) {
        return tables.read(all -> {
            expireIfIdle();
            switch (state) {
                case OPEN -> lastUsed = System.nanoTime();
                case ABORTED ->
                    throw new StoreException(
                            ErrorClass.ABORTED,
                            "the transaction is aborted since a claim was blocked: roll back",
                            null);
                case EXPIRED ->
                    throw new StoreException(
                            ErrorClass.UNAVAILABLE,
                            "the transaction was idle for longer than "
                                    + Duration.ofNanos(idleLimitNanos).toMillis() + " ms and has been rolled back",
                            null);
                case ENDED -> throw new IllegalStateException("the transaction has ended");
            }
            return work.get();
        });
    }

    private boolean expireIfIdle() {
        if (state != State.ENDED && state != State.EXPIRED && nanosToExpiry() <= 0) {
            end(State.EXPIRED);
        }
        return state == State.EXPIRED;
    }

    private long nanosToExpiry() {
        return idleLimitNanos - (System.nanoTime() - lastUsed);
    }

    private void end(State how) {
        release(log);
        log.clear();
        savepoint = -1;
        state = how;
    }

    private void release(List<Change> undone) {
        for (Change change : undone) {
            if (change instanceof Change.Claimed claimed) {
                tables.holders.remove(claimed.row());
            }
        }
        tables.ended.signalAll();
    }
}
