package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What every store must do with messages to send, asked of its SPI, and what a {@link io.pigeonhole.core.relay.Relay} makes of them. A
 * store's test inherits it and hands in the fixture.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class OutboxContract<C extends HandlerContext> {
    /** For subclasses. */
    protected OutboxContract() {}

    /**
     * The store under test. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> fixture();

    @Nested
    @DisplayName("an appended message")
    class Appending extends AppendTests<C> {
        Appending() {
            super(OutboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("a relay")
    class Relaying extends RelayTests<C> {
        Relaying() {
            super(OutboxContract.this::fixture);
        }
    }
}
