package io.pigeonhole.testkit.contract;

import io.pigeonhole.core.handler.HandlerContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What an {@link io.pigeonhole.core.inbox.Inbox} must do on every store. A store's test inherits it and hands in the
 * fixture.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class InboxContract<C extends HandlerContext> {
    /** For subclasses. */
    protected InboxContract() {}

    /**
     * The store under test. Called before each test, closed after it.
     *
     * @return a new fixture, without effects
     */
    protected abstract StoreFixture<C> fixture();

    /**
     * Whether each test of what is thrown tries every throwable that the contract knows. They are about a hundred, and each
     * test tries a part of them otherwise, which takes a database a few seconds.
     *
     * @return false unless overridden
     */
    protected boolean triesEveryThrowable() {
        return false;
    }

    @Nested
    @DisplayName("processing")
    class Processing extends ProcessingTests<C> {
        Processing() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("duplicates")
    class Duplicates extends DuplicateTests<C> {
        Duplicates() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("failures")
    class Failures extends FailureTests<C> {
        Failures() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the end of contexts")
    class ContextEnds extends ContextEndTests<C> {
        ContextEnds() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("whatever is thrown")
    class Throwables extends ThrowableTests<C> {
        Throwables() {
            super(InboxContract.this::fixture, InboxContract.this::triesEveryThrowable);
        }
    }

    @Nested
    @DisplayName("interrupts")
    class Interrupted extends InterruptTests<C> {
        Interrupted() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("what passes")
    class Transients extends TransientTests<C> {
        Transients() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("unusable messages")
    class Envelopes extends EnvelopeTests<C> {
        Envelopes() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("what runs around handlers")
    class Around extends AroundTests<C> {
        Around() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("ids whose time lies far ahead")
    class IdsAhead extends IdsFarAheadTests<C> {
        IdsAhead() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("the caller's transaction")
    class OwnTransactions extends OwnTransactionTests<C> {
        OwnTransactions() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("retries")
    class Retries extends RetryTests<C> {
        Retries() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("order")
    class Ordered extends OrderedInboxTests<C> {
        Ordered() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("external handlers")
    class External extends ExternalHandlerTests<C> {
        External() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("what looks like a crash loop")
    class CrashLoops extends CrashLoopTests<C> {
        CrashLoops() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("conflicts and dead letters")
    class SeenAgain extends SeenAgainTests<C> {
        SeenAgain() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("dead letters that are kept")
    class KeptLetters extends KeptLetterTests<C> {
        KeptLetters() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("messages that the database refuses to keep")
    class RefusedWrites extends RefusedWriteTests<C> {
        RefusedWrites() {
            super(InboxContract.this::fixture);
        }
    }

    @Nested
    @DisplayName("programs with different handlers")
    class UnknownWork extends UnknownWorkTests<C> {
        UnknownWork() {
            super(InboxContract.this::fixture);
        }
    }
}
