package io.pigeonhole.testkit.crash;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

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
    public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys, Duration patience) {
        return between(
                CrashPoint.BEFORE_CLAIM, () -> transaction.claim(consumer, keys, patience), CrashPoint.AFTER_CLAIM);
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
    public void bury(RegisteredConsumer consumer, List<DeadLetter> letters) {
        around(CrashPoint.BEFORE_BURY, () -> transaction.bury(consumer, letters), CrashPoint.AFTER_BURY);
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
