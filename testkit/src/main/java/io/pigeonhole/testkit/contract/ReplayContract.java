package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What a {@link io.pigeonhole.core.replay.Replay} must do on every store. A store's test inherits it and hands in the fixture.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class ReplayContract<C extends HandlerContext> {
    /** For subclasses. */
    protected ReplayContract() {}

    /**
     * The store under test. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> fixture();

    /**
     * Whether the test of what is thrown tries every throwable that the contract knows, and not a part of them.
     *
     * @return false unless overridden
     */
    protected boolean triesEveryThrowable() {
        return false;
    }

    @Nested
    @DisplayName("runs over the history")
    class Runs extends ReplayTests<C> {
        Runs() {
            super(ReplayContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("failures in a run")
    class Failures extends ReplayFailureTests<C> {
        Failures() {
            super(ReplayContract.this::fixture, ReplayContract.this::triesEveryThrowable);
        }
    }

    @Nested
    @DisplayName("days of the history")
    class Days extends HistoryDayTests<C> {
        Days() {
            super(ReplayContract.this::fixture);
        }
    }
}
