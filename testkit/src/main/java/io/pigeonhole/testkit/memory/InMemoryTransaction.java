package io.pigeonhole.testkit.memory;

import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.outbox.Outbox;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.Ledger;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.time.Duration;
import java.util.List;

/**
 * A transaction of the application's own, for testing code that claims messages by itself; stands where a JDBC connection
 * would. Used by one thread. Ends at {@link #commit} or {@link #close}; whatever comes after that is refused.
 */
public final class InMemoryTransaction implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Changes changes;

    InMemoryTransaction(Changes changes) {
        this.changes = changes;
    }

    /**
     * Has an effect when the transaction commits, and none when it is rolled back, as
     * {@link InMemoryContext#defer} does.
     *
     * @param effect what to do; it should not block
     */
    public void defer(Runnable effect) {
        changes.defer(effect);
    }

    /**
     * Where messages to send are appended, to be published after the commit.
     *
     * @return an outbox for as long as the transaction is open
     */
    public Outbox outbox() {
        return OutboxTable.in(changes, null);
    }

    /**
     * Commits: effects, then claims, all at once for whoever looks at the store.
     *
     * @throws io.pigeonhole.core.failure.StoreException if an effect failed, or a claim was blocked before: all is rolled back
     */
    public void commit() {
        changes.commit();
    }

    /** Rolls back unless committed. Does not throw. */
    @Override
    public void close() {
        changes.close();
    }

    Ledger ledger() {
        Claims claims = new Claims(changes);
        return new Ledger() {
            @Override
            public Claim claim(RegisteredConsumer consumer, MessageKey key) {
                return claims.claim(consumer, List.of(key), List.of(), TIMEOUT);
            }

            @Override
            public boolean contains(RegisteredConsumer consumer, MessageKey key) {
                Row row = new Row(consumer.id(), key);
                return claims.isAccepted(row) || claims.isKnown(row);
            }
        };
    }
}
