package io.pigeonhole.core.memory;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.message.PayloadHash;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.ExpiredLease;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.PostponedItem;
import io.pigeonhole.core.store.ReceivedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A transaction of the engine. It checks what the engine promises: only what is claimed is parked or finished. */
final class MemoryTransaction implements InboxTransaction<InMemoryContext> {
    private final InMemoryStore store;
    private final Changes changes;

    MemoryTransaction(InMemoryStore store, Changes changes) {
        this.store = store;
        this.changes = changes;
    }

    @Override
    public Claim claim(
            RegisteredConsumer consumer, List<MessageKey> keys, List<PayloadHash> hashes, Duration patience) {
        store.requireAvailable();
        for (int i = 1; i < keys.size(); i++) {
            require(keys.get(i - 1).compareTo(keys.get(i)) < 0, "keys are claimed in ascending order, each once");
        }
        require(!keys.isEmpty(), "a claim needs a key");
        return changes.claim(consumer.id(), keys, patience);
    }

    @Override
    public Set<MessageKey> known(RegisteredConsumer consumer, List<MessageKey> keys) {
        store.requireAvailable();
        Set<MessageKey> known = new LinkedHashSet<>();
        for (MessageKey key : keys) {
            if (changes.isKnown(new Row(consumer.id(), key))) {
                known.add(key);
            }
        }
        return known;
    }

    @Override
    public InMemoryContext context(RegisteredConsumer consumer, MessageKey key, Message message, int attempt) {
        return new InMemoryContext(changes, consumer.name(), key, message, attempt);
    }

    @Override
    public void park(RegisteredConsumer consumer, List<ParkedMessage> messages) {
        store.requireAvailable();
        for (ParkedMessage message : messages) {
            Row row = new Row(consumer.id(), message.key());
            require(changes.holds(row), "only a message that this transaction has claimed can be parked");
            require(!changes.isKnown(row), "a message is parked or dead once");
            changes.add(new Change.Parked(row, message));
        }
    }

    @Override
    public void bury(RegisteredConsumer consumer, List<DeadLetter> letters) {
        store.requireAvailable();
        for (DeadLetter letter : letters) {
            Row row = new Row(consumer.id(), letter.key());
            require(
                    letter.claimed() == changes.isAccepted(row),
                    "a dead letter says whether the ledger has its key: " + letter.claimed());
            changes.add(new Change.Buried(row, letter));
        }
    }

    @Override
    public void record(RegisteredConsumer consumer, List<FinishedMessage> messages) {
        store.requireAvailable();
        for (FinishedMessage message : messages) {
            Row row = new Row(consumer.id(), message.key());
            require(changes.holds(row), "only a message that this transaction has claimed can be finished");
            changes.add(new Change.Finished(row, message));
        }
    }

    @Override
    public Set<MessageKey> conflicting(RegisteredConsumer consumer, Map<MessageKey, PayloadHash> hashes) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public void lock(RegisteredConsumer consumer, List<Integer> lanes, Duration patience) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public Set<OrderingKey> blocked(RegisteredConsumer consumer, Collection<OrderingKey> keys) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public void receive(RegisteredConsumer consumer, List<ReceivedMessage> messages) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public boolean enter(RegisteredConsumer consumer, int lane) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public List<WorkItem> take(RegisteredConsumer consumer, int lane, int limit) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public List<WorkItem> retake(RegisteredConsumer consumer, List<Long> ids) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public void postpone(RegisteredConsumer consumer, List<PostponedItem> items) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public void requireLease(RegisteredConsumer consumer, List<WorkItem> items) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public void finish(RegisteredConsumer consumer, List<WorkItem> items) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public List<WorkItem> lease(RegisteredConsumer consumer, int lane, int limit, String owner, Duration duration) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public boolean hold(RegisteredConsumer consumer, WorkItem item) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public List<ExpiredLease> takeExpired(RegisteredConsumer consumer, int limit) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public Set<MessageKey> seenAgain(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        throw new UnsupportedOperationException("not yet");
    }

    @Override
    public Set<MessageKey> reopen(RegisteredConsumer consumer, Collection<MessageKey> keys) {
        throw new UnsupportedOperationException("not yet");
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
    public void commit() {
        store.requireAvailable();
        changes.commit();
    }

    @Override
    public void close() {
        changes.close();
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
