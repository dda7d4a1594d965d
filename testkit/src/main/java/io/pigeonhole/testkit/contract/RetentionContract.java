package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What a store must delete, and what it must not. A store's test inherits it and hands in a fixture that shares nothing with
 * others: its clock is moved by weeks. The store has the standard windows.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class RetentionContract<C extends HandlerContext> {
    /** For subclasses. */
    protected RetentionContract() {}

    /**
     * The store under test. Called before each test, closed after it.
     *
     * @return a new fixture, of which nobody else uses the store
     */
    protected abstract StoreFixture<C> fixture();

    @Nested
    @DisplayName("what is past its time")
    class Forgetting extends RetentionTests<C> {
        Forgetting() {
            super(RetentionContract.this::fixture);
        }
    }
}
