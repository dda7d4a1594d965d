package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What every {@link io.pigeonhole.core.store.InboxStore} must do for consumers that deduplicate by their place in a log. A
 * store's test inherits it and hands in the fixture.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class WatermarkContract<C extends HandlerContext> {
    /** For subclasses. */
    protected WatermarkContract() {}

    /**
     * The store under test. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> fixture();

    @Nested
    @DisplayName("the owner of a partition")
    class Owners extends LogOwnerTests<C> {
        Owners() {
            super(WatermarkContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("messages of a log")
    class Processing extends LogProcessingTests<C> {
        Processing() {
            super(WatermarkContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a change")
    class Switching extends LogSwitchTests<C> {
        Switching() {
            super(WatermarkContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("messages of a log that have ids")
    class Hybrid extends LogHybridTests<C> {
        Hybrid() {
            super(WatermarkContract.this::fixture);
        }
    }
}
