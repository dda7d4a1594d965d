package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.failure.ConsumerPausedException;
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
import io.pigeonhole.core.store.ReplaySteps;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A transaction of the engine. It checks what the engine promises: only what is claimed is parked or finished. */
final class MemoryTransaction implements InboxTransaction<InMemoryContext> {
    private final InMemoryStore store;
    private final Changes changes;
    private final Claims claims;
    private final Work work;
    private final Leasing leasing;
    private final LetterRows deadLetters;
    private final Gate gate;
    private final List<InMemoryContext> contexts = new ArrayList<>();

    MemoryTransaction(InMemoryStore store, Changes changes) {
        this.store = store;
        this.changes = changes;
        this.claims = new Claims(changes);
        this.work = new Work(changes);
        this.leasing = new Leasing(changes, work);
        this.deadLetters = new LetterRows(changes, work, claims);
        this.gate = new Gate(changes);
    }

    @Override
    public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration timeout) {
        store.requireAvailable();
        for (int i = 1; i < keys.size(); i++) {
            Promise.check(keys.get(i - 1).compareTo(keys.get(i)) < 0, "keys are claimed in ascending order, each once");
        }
        Promise.check(!keys.isEmpty(), "a claim needs a key");
        Promise.check(hashes.isEmpty() || hashes.size() == keys.size(), "every key has a hash, or none");
        requireNotPaused(consumer);
        return claims.claim(consumer, keys, hashes, timeout);
    }

    @Override
    public Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) {
        store.requireAvailable();
        return claims.conflicting(consumer, hashes);
    }

    @Override
    public Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) {
        store.requireAvailable();
        Set<MessageKey> known = new LinkedHashSet<>();
        for (MessageKey key : keys) {
            if (claims.isKnown(new Row(consumer.id(), key))) {
                known.add(key);
            }
        }
        return known;
    }

    @Override
    public InMemoryContext context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        InMemoryContext context = new InMemoryContext(changes, consumer.name(), key, message, attempt);
        contexts.add(context);
        return context;
    }

    @Override
    public void endContexts() {
        contexts.forEach(InMemoryContext::end);
        contexts.clear();
    }

    @Override
    public void lock(RegisteredConsumer consumer, List<Integer> workPartitions, Duration timeout) {
        store.requireAvailable();
        gate.lock(consumer, workPartitions, timeout);
    }

    @Override
    public Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) {
        store.requireAvailable();
        return gate.blocked(consumer, keys);
    }

    @Override
    public void park(RegisteredConsumer consumer, List<ParkedMessage> messages) {
        store.requireAvailable();
        work.park(consumer, messages);
    }

    @Override
    public void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) {
        store.requireAvailable();
        work.receive(consumer, messages);
    }

    @Override
    public boolean enter(RegisteredConsumer consumer, int workPartition) {
        store.requireAvailable();
        return gate.enter(consumer, workPartition);
    }

    @Override
    public List<WorkItem> take(RegisteredConsumer consumer, int workPartition, int limit, long bytes) {
        store.requireAvailable();
        gate.requireEntered(consumer, workPartition);
        return work.take(consumer, workPartition, limit, bytes);
    }

    @Override
    public Appended appended(
            RegisteredConsumer consumer, String destination, int workPartition, int limit, long bytes) {
        store.requireAvailable();
        gate.requireEntered(consumer, workPartition);
        return changes.inTurn(() -> changes.tables.paused.contains(consumer.id())
                ? Appended.NOTHING
                : new Appended(changes.tables.outbox.first(destination, workPartition, limit, bytes), true));
    }

    @Override
    public void removeAppended(String destination, int workPartition, List<Long> positions) {
        store.requireAvailable();
        changes.removeAppended(positions);
    }

    @Override
    public List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) {
        store.requireAvailable();
        return work.retake(consumer, ids);
    }

    @Override
    public void postpone(RegisteredConsumer consumer, List<PostponedItem> items) {
        store.requireAvailable();
        work.postpone(consumer, items);
    }

    @Override
    public void requireLease(RegisteredConsumer consumer, List<WorkItem> items) {
        store.requireAvailable();
        work.requireLease(consumer, items);
    }

    @Override
    public void finish(RegisteredConsumer consumer, List<WorkItem> items) {
        store.requireAvailable();
        work.finish(consumer, items);
    }

    @Override
    public List<WorkItem> lease(
            RegisteredConsumer consumer, int workPartition, int limit, String owner, Duration duration) {
        store.requireAvailable();
        gate.requireEntered(consumer, workPartition);
        return leasing.lease(consumer, workPartition, limit, owner, duration);
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, WorkItem item) {
        store.requireAvailable();
        return leasing.hold(consumer, item);
    }

    @Override
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit, long bytes) {
        store.requireAvailable();
        return leasing.takeExpired(consumer, limit, bytes);
    }

    @Override
    public void deadLetter(RegisteredConsumer consumer, List<DeadLetter> letters) {
        store.requireAvailable();
        deadLetters.deadLetter(consumer, letters);
    }

    @Override
    public Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        store.requireAvailable();
        return deadLetters.seenAgain(consumer, keys);
    }

    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        store.requireAvailable();
        return deadLetters.reopen(consumer, keys);
    }

    @Override
    public void record(RegisteredConsumer consumer, List<FinishedMessage> messages) {
        store.requireAvailable();
        work.record(consumer, messages);
    }

    @Override
    public List<Watermark> watermarks(RegisteredConsumer consumer, Collection<LogPartition> partitions) {
        store.requireAvailable();
        requireNotPaused(consumer);
        return changes.inTurn(() -> changes.tables.marks.find(consumer.id(), partitions));
    }

    private void requireNotPaused(RegisteredConsumer consumer) {
        if (changes.inTurn(() -> changes.tables.paused.contains(consumer.id()))) {
            throw new ConsumerPausedException(consumer.name());
        }
    }

    @Override
    public void advance(RegisteredConsumer consumer, List<Advance> advances) {
        store.requireAvailable();
        changes.inTurn(() -> {
            advances.forEach(advance -> changes.advance(consumer.id(), advance));
            return advances;
        });
    }

    @Override
    public ReplaySteps replay() {
        store.requireAvailable();
        return new MemoryReplaySteps(changes);
    }

    @Override
    public boolean hasMetFullDisk(Throwable failure) {
        return false;
    }

    @Override
    public void flush() {
        store.requireAvailable();
        changes.check();
    }

    @Override
    public void savepoint() {
        store.requireAvailable();
        changes.savepoint();
    }

    @Override
    public void rollbackToSavepoint() {
        store.requireAvailable();
        changes.rollbackToSavepoint();
    }

    @Override
    public void checkConstraints() {
        store.requireAvailable();
        changes.check();
    }

    @Override
    public void abort() {
        changes.abort();
    }

    @Override
    public void commit() {
        store.requireAvailable();
        changes.commit();
    }

    @Override
    public void close() {
        changes.close();
    }
}
