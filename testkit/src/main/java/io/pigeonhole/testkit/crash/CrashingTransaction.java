package io.pigeonhole.testkit.crash;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.LogPartition;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Advance;
import io.pigeonhole.core.store.Appended;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.ReplayPage;
import io.pigeonhole.core.store.ReplayProgress;
import io.pigeonhole.core.store.ReplayState;
import io.pigeonhole.core.store.ReplaySteps;
import io.pigeonhole.core.store.SkippedMessage;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A transaction with the points around its calls. */
final class CrashingTransaction<C extends HandlerContext> implements InboxTransaction<C> {
    private final InboxTransaction<C> transaction;
    private final CrashPlan plan;
    private boolean ended;

    CrashingTransaction(InboxTransaction<C> transaction, CrashPlan plan) {
        this.transaction = transaction;
        this.plan = plan;
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout) {
        return between(
                CrashPoint.BEFORE_CLAIM,
                () -> transaction.claim(consumer, keys, hashes, timeout),
                CrashPoint.AFTER_CLAIM);
    }

    @Override
    public Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) {
        return transaction.conflicting(consumer, hashes);
    }

    @Override
    public List<Watermark> watermarks(RegisteredConsumer consumer, Collection<LogPartition> partitions) {
        return between(
                CrashPoint.BEFORE_WATERMARKS,
                () -> transaction.watermarks(consumer, partitions),
                CrashPoint.AFTER_WATERMARKS);
    }

    @Override
    public void advance(RegisteredConsumer consumer, List<Advance> advances) {
        around(CrashPoint.BEFORE_ADVANCE, () -> transaction.advance(consumer, advances), CrashPoint.AFTER_ADVANCE);
    }

    @Override
    public void lock(RegisteredConsumer consumer, List<Integer> workPartitions, Duration timeout) {
        around(
                CrashPoint.BEFORE_LOCK,
                () -> transaction.lock(consumer, workPartitions, timeout),
                CrashPoint.AFTER_LOCK);
    }

    @Override
    public Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) {
        return between(CrashPoint.BEFORE_BLOCKED, () -> transaction.blocked(consumer, keys), CrashPoint.AFTER_BLOCKED);
    }

    @Override
    public void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) {
        around(CrashPoint.BEFORE_RECEIVE, () -> transaction.receive(consumer, messages), CrashPoint.AFTER_RECEIVE);
    }

    @Override
    public boolean enter(RegisteredConsumer consumer, int workPartition) {
        return between(
                CrashPoint.BEFORE_ENTER, () -> transaction.enter(consumer, workPartition), CrashPoint.AFTER_ENTER);
    }

    @Override
    public List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes) {
        return between(
                CrashPoint.BEFORE_TAKE,
                () -> transaction.take(consumer, workPartition, limit, bytes),
                CrashPoint.AFTER_TAKE);
    }

    @Override
    public Appended appended(
            RegisteredConsumer consumer, String destination, int workPartition, int limit, long bytes) {
        return between(
                CrashPoint.BEFORE_APPENDED,
                () -> transaction.appended(consumer, destination, workPartition, limit, bytes),
                CrashPoint.AFTER_APPENDED);
    }

    @Override
    public void removeAppended(String destination, int workPartition, List<Long> positions) {
        around(
                CrashPoint.BEFORE_REMOVE_APPENDED,
                () -> transaction.removeAppended(destination, workPartition, positions),
                CrashPoint.AFTER_REMOVE_APPENDED);
    }

    @Override
    public List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) {
        return between(CrashPoint.BEFORE_TAKE, () -> transaction.retake(consumer, ids), CrashPoint.AFTER_TAKE);
    }

    @Override
    public void postpone(RegisteredConsumer consumer, List<PostponedItem> items) {
        around(CrashPoint.BEFORE_POSTPONE, () -> transaction.postpone(consumer, items), CrashPoint.AFTER_POSTPONE);
    }

    @Override
    public void requireLease(RegisteredConsumer consumer, List<WorkItem> items) {
        transaction.requireLease(consumer, items);
    }

    @Override
    public void finish(RegisteredConsumer consumer, List<WorkItem> items) {
        around(CrashPoint.BEFORE_FINISH, () -> transaction.finish(consumer, items), CrashPoint.AFTER_FINISH);
    }

    @Override
    public List<WorkItem> lease(
            RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration) {
        return between(
                CrashPoint.BEFORE_LEASE,
                () -> transaction.lease(consumer, workPartition, limit, owner, duration),
                CrashPoint.AFTER_LEASE);
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, WorkItem item) {
        return between(CrashPoint.BEFORE_HOLD, () -> transaction.hold(consumer, item), CrashPoint.AFTER_HOLD);
    }

    @Override
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) {
        return between(
                CrashPoint.BEFORE_TAKE_EXPIRED,
                () -> transaction.takeExpired(consumer, limit, bytes),
                CrashPoint.AFTER_TAKE_EXPIRED);
    }

    @Override
    public Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return between(
                CrashPoint.BEFORE_SEEN_AGAIN, () -> transaction.seenAgain(consumer, keys), CrashPoint.AFTER_SEEN_AGAIN);
    }

    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        return between(CrashPoint.BEFORE_REOPEN, () -> transaction.reopen(consumer, keys), CrashPoint.AFTER_REOPEN);
    }

    @Override
    public Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) {
        return between(CrashPoint.BEFORE_KNOWN, () -> transaction.known(consumer, keys), CrashPoint.AFTER_KNOWN);
    }

    @Override
    public C context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        return transaction.context(consumer, key, message, attempt);
    }

    @Override
    public void endContexts() {
        transaction.endContexts();
    }

    @Override
    public void handlerReturned() {
        transaction.handlerReturned();
    }

    @Override
    public ReplaySteps replay() {
        ReplaySteps steps = transaction.replay();
        return new ReplaySteps() {
            @Override
            public Optional<ReplayProgress> lock(String name) {
                return steps.lock(name);
            }

            @Override
            public ReplayPage read(ReplayProgress run, int limit) {
                return between(
                        CrashPoint.BEFORE_REPLAY_READ, () -> steps.read(run, limit), CrashPoint.AFTER_REPLAY_READ);
            }

            @Override
            public void move(
                    ReplayProgress run,
                    long position,
                    int done,
                    int skipped,
                    ReplayState state,
                    @Nullable String error) {
                around(
                        CrashPoint.BEFORE_REPLAY_MOVE,
                        () -> steps.move(run, position, done, skipped, state, error),
                        CrashPoint.AFTER_REPLAY_MOVE);
            }

            @Override
            public void skip(ReplayProgress run, SkippedMessage message) {
                steps.skip(run, message);
            }
        };
    }

    @Override
    public boolean hasMetFullDisk(Throwable failure) {
        return transaction.hasMetFullDisk(failure);
    }

    @Override
    public boolean hasLostConnection() {
        return transaction.hasLostConnection();
    }

    @Override
    public boolean hasTimedOut() {
        return transaction.hasTimedOut();
    }

    @Override
    public boolean hasMetError() {
        return transaction.hasMetError();
    }

    @Override
    public void abort() {
        transaction.abort();
    }

    @Override
    public void flush() {
        around(CrashPoint.BEFORE_FLUSH, transaction::flush, CrashPoint.AFTER_FLUSH);
    }

    @Override
    public void savepoint() {
        around(CrashPoint.BEFORE_SAVEPOINT, transaction::savepoint, CrashPoint.AFTER_SAVEPOINT);
    }

    @Override
    public void rollbackToSavepoint() {
        around(
                CrashPoint.BEFORE_ROLLBACK_TO_SAVEPOINT,
                transaction::rollbackToSavepoint,
                CrashPoint.AFTER_ROLLBACK_TO_SAVEPOINT);
    }

    @Override
    public void checkConstraints() {
        around(CrashPoint.BEFORE_CHECK_CONSTRAINTS, transaction::checkConstraints, CrashPoint.AFTER_CHECK_CONSTRAINTS);
    }

    @Override
    public void park(RegisteredConsumer consumer, List<ParkedMessage> messages) {
        around(CrashPoint.BEFORE_PARK, () -> transaction.park(consumer, messages), CrashPoint.AFTER_PARK);
    }

    @Override
    public void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters) {
        around(
                CrashPoint.BEFORE_DEAD_LETTER,
                () -> transaction.deadLetter(consumer, letters),
                CrashPoint.AFTER_DEAD_LETTER);
    }

    @Override
    public void record(RegisteredConsumer consumer, List<FinishedMessage> messages) {
        around(CrashPoint.BEFORE_RECORD, () -> transaction.record(consumer, messages), CrashPoint.AFTER_RECORD);
    }

    @Override
    public void commit() {
        plan.pass(CrashPoint.BEFORE_COMMIT);
        transaction.commit();
        ended = true;
        plan.pass(CrashPoint.AFTER_COMMIT);
    }

    @Override
    public void close() {
        if (ended) {
            transaction.close();
            return;
        }
        ended = true;
        around(CrashPoint.BEFORE_ROLLBACK, transaction::close, CrashPoint.AFTER_ROLLBACK);
    }

    private void around(CrashPoint before, Runnable call, CrashPoint after) {
        plan.pass(before);
        call.run();
        plan.pass(after);
    }

    private <R> R between(CrashPoint before, Supplier<R> call, CrashPoint after) {
        plan.pass(before);
        R result = call.get();
        plan.pass(after);
        return result;
    }
}
