package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What a {@link io.pigeonhole.core.node.Source} must do with every broker and every store. The test of a pair inherits it and
 * hands in both fixtures.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class SourceContract<C extends HandlerContext> {
    /** For subclasses. */
    protected SourceContract() {}

    /**
     * The broker under test. Called before each test, closed after it.
     *
     * @return a new fixture
     */
    protected abstract BrokerFixture broker();

    /**
     * The store that takes the messages. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> store();

    @Nested
    @DisplayName("delivery")
    class Delivery extends SourceDeliveryTests<C> {
        Delivery() {
            super(SourceContract.this::broker, SourceContract.this::store);
        }
    }

    @Nested
    @DisplayName("unusable messages")
    class Unusable extends SourceUnusableTests<C> {
        Unusable() {
            super(SourceContract.this::broker, SourceContract.this::store);
        }
    }

    @Nested
    @DisplayName("life")
    class Life extends SourceLifeTests<C> {
        Life() {
            super(SourceContract.this::broker, SourceContract.this::store);
        }
    }

    @Nested
    @DisplayName("failures")
    class Failures extends SourceFailureTests<C> {
        Failures() {
            super(SourceContract.this::broker, SourceContract.this::store);
        }
    }
}
