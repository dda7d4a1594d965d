package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.admin.AdminStore;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.time.SystemTime;
import io.pigeonhole.testkit.contract.CallersTransaction;
import io.pigeonhole.testkit.contract.StoreFixture;
import io.pigeonhole.testkit.contract.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An {@link InMemoryStore} of its own with a list of effects, under the contracts of this testkit: for a source or a store of
 * yours that is tested together with the store in memory. Its clock is the machine's, moved forward by {@link #advance}.
 * Safe for use by many threads, as the store is.
 */
public final class InMemoryFixture implements StoreFixture<InMemoryContext> {
    private final Instant end = SystemTime.clock().instant().plus(Duration.ofDays(30));
    private final MovedClock clock = new MovedClock();
    private final InMemoryStore store = InMemoryStore.create(clock);
    private final List<String> effects = new CopyOnWriteArrayList<>();

    /** Makes an empty store, whose ledger reaches from the epoch to 30 days from now. */
    public InMemoryFixture() {
        ledgerBounds(Instant.EPOCH);
    }

    @Override
    public InboxStore<InMemoryContext> store() {
        return store;
    }

    @Override
    public AdminStore adminStore() {
        return store;
    }

    @Override
    public void write(InMemoryContext context, String effect) {
        context.defer(() -> effects.add(effect));
    }

    @Override
    public void defer(InMemoryContext context, String effect) {
        write(context, effect);
    }

    @Override
    public List<String> effects() {
        return List.copyOf(effects);
    }

    @Override
    public List<StoredMessage> parked(String consumer) {
        return store.parked(consumer).stream().map(StoredMessage::of).toList();
    }

    @Override
    public List<StoredMessage> deadLetters(String consumer) {
        return store.deadLetters(consumer).stream().map(StoredMessage::of).toList();
    }

    @Override
    public List<StoredMessage> history(String consumer) {
        return store.history(consumer).stream().map(StoredMessage::of).toList();
    }

    @Override
    public CallersTransaction begin() {
        InMemoryTransaction transaction = store.transaction();
        return new CallersTransaction() {
            @Override
            public Ledger ledger() {
                return store.ledger(transaction);
            }

            @Override
            public void write(String effect) {
                transaction.defer(() -> effects.add(effect));
            }

            @Override
            public void commit() {
                transaction.commit();
            }

            @Override
            public void close() {
                transaction.close();
            }
        };
    }

    @Override
    public void ledgerBounds(Instant oldest) {
        store.ledgerBounds(oldest, end);
    }

    @Override
    public Instant beyondTheLedger() {
        return end;
    }

    @Override
    public void advance(Duration duration) {
        clock.advance(duration);
    }

    @Override
    public boolean endsIdleTransactions() {
        return true;
    }

    @Override
    public void pause(String consumer, boolean paused) {
        store.paused(consumer, paused);
    }

    @Override
    public int seenAgain(String consumer, MessageKey key) {
        return store.seenAgain(consumer, key);
    }

    @Override
    public List<String> attempts(String consumer, MessageKey key) {
        return store.attempts(consumer, key).stream()
                .map(attempt -> attempt.number() + ": " + attempt.errorClass() + ": " + attempt.message())
                .toList();
    }

    @Override
    public void close() {}
}
