package io.pigeonhole.core.memory;

import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.DeadLetter;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.ParkedMessage;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
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
    public Claim claim(RegisteredConsumer consumer, List<MessageKey> keys, Duration patience) {
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
