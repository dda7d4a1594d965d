package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.idempotency.IdempotencyStore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What every {@link IdempotencyStore} must do, and what {@link io.pigeonhole.core.idempotency.IdempotentRequests} does on it. A store's
 * test inherits it and hands in the fixture, whose clock is moved by days.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class IdempotencyContract<C extends HandlerContext> {
    /** For subclasses. */
    protected IdempotencyContract() {}

    /**
     * The database under test. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> fixture();

    /**
     * The store under test.
     *
     * @param fixture what {@link #fixture} returned
     * @return the store of requests in that database
     */
    protected abstract IdempotencyStore<C> store(StoreFixture<C> fixture);

    @Nested
    @DisplayName("a request")
    class Requests extends RequestTests<C> {
        Requests() {
            super(IdempotencyContract.this::fixture, IdempotencyContract.this::store);
        }
    }

    @Nested
    @DisplayName("a request in steps")
    class InSteps extends RequestStepTests<C> {
        InSteps() {
            super(IdempotencyContract.this::fixture, IdempotencyContract.this::store);
        }
    }

    @Nested
    @DisplayName("the lease of a request in steps")
    class Leases extends RequestLeaseTests<C> {
        Leases() {
            super(IdempotencyContract.this::fixture, IdempotencyContract.this::store);
        }
    }

    @Nested
    @DisplayName("the failure of a request in steps")
    class Failures extends RequestFailureTests<C> {
        Failures() {
            super(IdempotencyContract.this::fixture, IdempotencyContract.this::store);
        }
    }

    @Nested
    @DisplayName("a stored request")
    class Stored extends StoredRequestTests<C> {
        Stored() {
            super(IdempotencyContract.this::fixture, IdempotencyContract.this::store);
        }
    }
}
