package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What the engine must do with few connections: nobody who holds one may wait for another. For stores that take connections
 * of a pool.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class PoolContract<C extends HandlerContext> {
    /** For subclasses. */
    protected PoolContract() {}

    /**
     * The store under test on a pool of its own. Called before each test, closed after it.
     *
     * @param connections how many connections the pool has; whoever asks for one more gets an error after a second or two
     * @return a new fixture, without effects, which looks at what the store keeps through other connections
     */
    protected abstract StoreFixture<C> fixture(int connections);

    @Nested
    @DisplayName("one connection")
    class OneConnection extends OneConnectionTests<C> {
        OneConnection() {
            super(() -> fixture(1));
        }
    }

    @Nested
    @DisplayName("as many connections as threads")
    class AsManyAsThreads extends AsManyConnectionsAsThreadsTests<C> {
        AsManyAsThreads() {
            super(() -> fixture(AsManyConnectionsAsThreadsTests.THREADS));
        }
    }
}
