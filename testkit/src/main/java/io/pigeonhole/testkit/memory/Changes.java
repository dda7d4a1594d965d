package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AttemptEntry;
import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.FailureText;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.FailedAttempt;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.WatermarkMovedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one open transaction has done so far: layers on top of the tables that are thrown away or applied as a whole. To
 * others only its locks are visible. As in PostgreSQL, a lock that was waited for in vain leaves the transaction aborted:
 * it can only go back to the savepoint or end.
 */
final class Changes {
    private enum State {
        OPEN,
        ABORTED,
        EXPIRED,
        ENDED
    }

    final Tables tables;
    private final Undo undo = new Undo();
    final Layer<WorkRow> work;
    final Layer<LetterRow> letterRows;
    private final Set<Lock> locks = new LinkedHashSet<>();
    private final Map<Row, Accepted> claims = new LinkedHashMap<>();
    private final List<Runnable> effects = new ArrayList<>();
    private final List<Finished> history = new ArrayList<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<OutboxTable.Appended> appended = new ArrayList<>();
    private final List<Long> removed = new ArrayList<>();
    private final Map<Marks.Mark, Advance> advances = new LinkedHashMap<>();
    private final Map<String, ReplayProgress> replays = new LinkedHashMap<>();
    private final List<MemoryReplays.SkippedRow> skipped = new ArrayList<>();
    private final long idleLimitNanos;
    private State state = State.OPEN;
    private int savepoint = -1;
    private long lastUsed = System.nanoTime();
    private boolean waiting;

    Changes(Tables tables, Duration idleLimit) {
        this.tables = tables;
        this.idleLimitNanos = Nanos.of(idleLimit);
        this.work = new Layer<>(tables.work, undo);
        this.letterRows = new Layer<>(tables.letterRows, undo);
    }

    /** By the store's clock. */
    Instant now() {
        return tables.now();
    }

    boolean isFree(Lock lock) {
        return tables.locks.isFree(lock, this);
    }

    boolean holds(Lock lock) {
        return tables.locks.isHeldBy(this, lock);
    }

    /** Holds something that is free until the transaction ends, or goes back to a savepoint from before. */
    void hold(Lock lock) {
        if (locks.add(lock)) {
            tables.locks.hold(lock, this);
            undo.add(() -> {
                locks.remove(lock);
                tables.locks.release(lock);
            });
        }
    }

    void awaitFree(List<? extends Lock> wanted, Duration timeout) {
        waiting = true;
        boolean free = tables.locks.awaitFree(wanted, this, Nanos.of(timeout));
        waiting = false;
        lastUsed = System.nanoTime();
        if (!free) {
            state = State.ABORTED;
            throw new ClaimBlockedException(
                    "another transaction holds one of " + wanted.size()
                            + " keys or work partitions and did not end within " + timeout.toMillis() + " ms",
                    null);
        }
    }

    void claim(Row row, Accepted accepted) {
        hold(new Lock.OfKey(row));
        claims.put(row, accepted);
        undo.add(() -> claims.remove(row));
    }

    @Nullable
    Accepted claimed(Row row) {
        return claims.get(row);
    }

    void record(short consumer, FinishedMessage message) {
        history.add(new Finished(0, consumer, message, now()));
        undo.add(() -> history.remove(history.size() - 1));
    }

    /** Holds a run if nobody else does. */
    boolean tryHold(Lock lock) {
        if (!isFree(lock)) {
            return false;
        }
        hold(lock);
        return true;
    }

    void move(ReplayProgress run) {
        ReplayProgress before = replays.put(run.plan().name(), run);
        undo.add(() -> {
            if (before == null) {
                replays.remove(run.plan().name());
            } else {
                replays.put(run.plan().name(), before);
            }
        });
    }

    void skip(MemoryReplays.SkippedRow row) {
        skipped.add(row);
        undo.add(() -> skipped.remove(skipped.size() - 1));
    }

    /** Keeps an attempt that failed, whatever becomes of the message. */
    void note(Row row, FailedAttempt attempt) {
        attempts.add(new Attempt(row, new AttemptEntry(now().minus(attempt.duration()), attempt)));
        undo.add(() -> attempts.remove(attempts.size() - 1));
    }

    void defer(Runnable effect) {
        inTurn(() -> {
            effects.add(effect);
            undo.add(() -> effects.remove(effects.size() - 1));
            return effects;
        });
    }

    void append(String destination, int workPartition, Message message) {
        inTurn(() -> {
            appended.add(new OutboxTable.Appended(tables.outbox.nextPosition(), destination, workPartition, message));
            undo.add(() -> appended.remove(appended.size() - 1));
            return appended;
        });
    }

    void removeAppended(List<Long> positions) {
        inTurn(() -> {
            positions.forEach(position -> {
                Promise.check(tables.outbox.has(position), "only messages that are there are removed");
                removed.add(position);
                undo.add(() -> removed.remove(removed.size() - 1));
            });
            return removed;
        });
    }

    void savepoint() {
        inTurn(() -> savepoint = undo.mark());
    }

    void rollbackToSavepoint() {
        tables.write(all -> {
            if (expireIfIdle()) {
                throw new StoreException(
                        ErrorClass.UNAVAILABLE, "the transaction was idle and has been rolled back", null);
            }
            if (savepoint < 0 || state == State.ENDED) {
                throw new IllegalStateException("there is no savepoint to go back to");
            }
            undo.backTo(savepoint);
            state = State.OPEN;
            lastUsed = System.nanoTime();
        });
    }

    void check() {
        inTurn(() -> state);
    }

    void advance(short consumer, Advance advance) {
        Marks.Mark mark = new Marks.Mark(consumer, advance.from().partition());
        advances.put(mark, advance);
        undo.add(() -> advances.remove(mark));
    }

    void commit() {
        List<OutboxTable.Appended> committed = inTurn(() -> {
            if (!tables.marks.allow(advances)) {
                end(State.ENDED);
                throw new WatermarkMovedException("rolled back: a watermark is not where it was read", null);
            }
            try {
                effects.forEach(Runnable::run);
            } catch (Throwable e) {
                end(State.ENDED);
                throw new StoreException(
                        ErrorClass.MESSAGE, "rolled back: a deferred effect failed: " + FailureText.describe(e), e);
            }
            tables.marks.apply(advances);
            tables.ledger.putAll(claims);
            history.forEach(finished -> tables.history.add(finished.at(tables.nextInHistory())));
            tables.replays.putAll(replays);
            tables.skipped.addAll(skipped);
            tables.attempts.addAll(attempts);
            work.apply();
            letterRows.apply();
            List<OutboxTable.Appended> all = List.copyOf(appended);
            tables.outbox.apply(all, removed);
            end(State.ENDED);
            return all;
        });
        tables.outbox.signal(committed);
    }

    /** As the server of a database does where a connection ends. */
    void abort() {
        tables.write(all -> {
            if (state != State.ENDED && state != State.EXPIRED) {
                end(State.EXPIRED);
            }
        });
    }

    void close() {
        tables.write(all -> {
            if (state != State.ENDED) {
                end(State.ENDED);
            }
        });
    }

    /** Does something as a part of this transaction, alone with the tables. */
    <R> R inTurn(Supplier<R> step) {
        return tables.read(all -> {
            expireIfIdle();
            switch (state) {
                case OPEN -> lastUsed = System.nanoTime();
                case ABORTED ->
                    throw new StoreException(
                            ErrorClass.ABORTED,
                            "the transaction is aborted since it waited in vain for another: roll back",
                            null);
                case EXPIRED ->
                    throw new StoreException(
                            ErrorClass.ABORTED,
                            "the transaction was aborted, or idle for longer than "
                                    + Duration.ofNanos(idleLimitNanos).toMillis() + " ms, and has been rolled back",
                            null);
                case ENDED -> throw new IllegalStateException("the transaction has ended");
            }
            return step.get();
        });
    }

    boolean expireIfIdle() {
        if (state != State.ENDED && state != State.EXPIRED && nanosToExpiry() <= 0) {
            end(State.EXPIRED);
        }
        return state == State.EXPIRED;
    }

    /** Whoever waits is not idle. */
    long nanosToExpiry() {
        return waiting ? idleLimitNanos : idleLimitNanos - (System.nanoTime() - lastUsed);
    }

    /** Lets go of everything; what was committed has been applied before. */
    private void end(State how) {
        undo.backTo(0);
        savepoint = -1;
        state = how;
    }
}
