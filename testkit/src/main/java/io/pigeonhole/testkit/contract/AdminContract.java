package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What every {@link io.pigeonhole.core.admin.AdminStore} must do. A store's test inherits it and hands in the fixture.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class AdminContract<C extends HandlerContext> {
    /** For subclasses. */
    protected AdminContract() {}

    /**
     * The store under test. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> fixture();

    @Nested
    @DisplayName("looking at messages")
    class Reading extends AdminReadTests<C> {
        Reading() {
            super(AdminContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a change")
    class Changing extends AdminChangeTests<C> {
        Changing() {
            super(AdminContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a blocked key")
    class Unblocking extends UnblockTests<C> {
        Unblocking() {
            super(AdminContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a requeue")
    class Requeueing extends RequeueTests<C> {
        Requeueing() {
            super(AdminContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a requeue of many")
    class RequeueingMany extends BulkRequeueTests<C> {
        RequeueingMany() {
            super(AdminContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("people and workers at once")
    class Races extends AdminRaceTests<C> {
        Races() {
            super(AdminContract.this::fixture);
        }
    }
}
