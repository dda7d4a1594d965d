package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What a {@link io.pigeonhole.core.relay.Publisher} must do with every broker. What it publishes is read by the source of the same
 * broker, with its standard settings. The test of a publisher inherits it and hands in both fixtures.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class PublisherContract<C extends HandlerContext> {
    /** For subclasses. */
    protected PublisherContract() {}

    /**
     * The publisher under test. Called before each test, closed after it.
     *
     * @return a new fixture
     */
    protected abstract PublisherFixture publishing();

    /**
     * The store that takes what was published. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> store();

    @Nested
    @DisplayName("what is published")
    class Published extends PublishedMessageTests<C> {
        Published() {
            super(PublisherContract.this::publishing, PublisherContract.this::store);
        }
    }

    @Nested
    @DisplayName("refusals")
    class Refusals extends PublisherRefusalTests<C> {
        Refusals() {
            super(PublisherContract.this::publishing, PublisherContract.this::store);
        }
    }

    @Nested
    @DisplayName("outages")
    class Outages extends PublisherOutageTests<C> {
        Outages() {
            super(PublisherContract.this::publishing, PublisherContract.this::store);
        }
    }
}
