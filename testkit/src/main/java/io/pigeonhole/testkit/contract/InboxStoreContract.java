package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What every {@link io.pigeonhole.core.store.InboxStore} must do, asked of its SPI. A store's test inherits it and hands in
 * the fixture.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class InboxStoreContract<C extends HandlerContext> {
    /** For subclasses. */
    protected InboxStoreContract() {}

    /**
     * The store under test. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> fixture();

    @Nested
    @DisplayName("a claim")
    class Claims extends ClaimTests<C> {
        Claims() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a transaction")
    class Transactions extends TransactionTests<C> {
        Transactions() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("what is kept")
    class Keeping extends KeepingTests<C> {
        Keeping() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the ledger's bounds")
    class Bounds extends LedgerBoundsTests<C> {
        Bounds() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the registry")
    class Registry extends RegistryTests<C> {
        Registry() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the caller's ledger")
    class CallersLedger extends LedgerTests<C> {
        CallersLedger() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("unfinished work")
    class Work extends WorkTests<C> {
        Work() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("bytes of unfinished work")
    class WorkBytes extends WorkBytesTests<C> {
        WorkBytes() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a work partition")
    class WorkPartitions extends WorkPartitionTests<C> {
        WorkPartitions() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a lease")
    class Leases extends LeaseTests<C> {
        Leases() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a lease that runs out")
    class Expiry extends ExpiryTests<C> {
        Expiry() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the key gate")
    class Gate extends KeyGateTests<C> {
        Gate() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the order of a key")
    class Order extends OrderTests<C> {
        Order() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a dead letter")
    class DeadLetters extends DeadLetterTests<C> {
        DeadLetters() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the backlog")
    class Due extends BacklogTests<C> {
        Due() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("starts")
    class Starting extends StartTests<C> {
        Starting() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a hash of a payload")
    class Hashes extends ConflictTests<C> {
        Hashes() {
            super(InboxStoreContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a paused consumer")
    class Paused extends PauseTests<C> {
        Paused() {
            super(InboxStoreContract.this::fixture);
        }
    }
}
