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
    @DisplayName("the horizon")
    class Horizon extends HorizonTests<C> {
        Horizon() {
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
}
