package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.outbox.OutboxMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What must hold however the transactions of a store begin and end, on a data source or in a framework. What an inbox does besides is
 * the {@link InboxContract}.
 *
 * @param <C> the context that the store hands to handlers
 */
public abstract class TransactionsContract<C extends HandlerContext> extends InboxLab<C> {
    private final List<String> ran = new ArrayList<>();

    /**
     * For subclasses.
     *
     * @param fixtures makes the store under test, anew for each test and without effects
     */
    protected TransactionsContract(FixtureSource<C> fixtures) {
        super(fixtures::make);
    }

    /**
     * Makes a store under test.
     *
     * @param <C> the context that the store hands to handlers
     */
    @FunctionalInterface
    public interface FixtureSource<C extends HandlerContext> {
        /**
         * Makes it.
         *
         * @return a new fixture
         */
        TransactionsFixture<C> make();
    }

    private TransactionsFixture<C> framework() {
        return (TransactionsFixture<C>) fixture;
    }

    @Test
    void whatAHandlerWritesThroughTheFrameworkTakesEffectOnce() {
        Inbox<C> inbox = writing();
        Message message = message("x");
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void whatTheFrameworkHoldsBackIsSentBeforeTheCommit() {
        Inbox<C> inbox = inbox((payload, context) -> fixture.defer(context, payload));
        assertThat(kinds(inbox.process(messages(10)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void ofABatchWithOneBadMessageTheOthersTakeEffect() {
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.defer(context, payload + " held back");
            fixture.write(context, payload);
            if (payload.equals("4")) {
                fixture.defer(context, "left over");
                throw new IllegalArgumentException("bad");
            }
        });
        List<Outcome> outcomes = inbox.process(messages(10));
        assertThat(kinds(outcomes)).containsOnlyOnce(Kind.PARKED);
        assertThat(fixture.effects())
                .hasSize(18)
                .doesNotHaveDuplicates()
                .doesNotContain("4", "4 held back", "left over");
    }

    @Test
    void whatTheFrameworkCannotSendIsTheFailureOfItsMessage() {
        Inbox<C> inbox = inbox((payload, context) -> {
            if (payload.equals("4")) {
                framework().deferBroken(context);
            }
            fixture.defer(context, payload);
        });
        List<Outcome> outcomes = inbox.process(messages(10));
        List<Kind> kinds = kinds(outcomes);
        assertThat(kinds.get(4)).isIn(Kind.PARKED, Kind.DEAD);
        assertThat(kinds).containsOnly(Kind.PROCESSED, kinds.get(4));
        assertThat(fixture.effects()).hasSize(9).doesNotContain("4");
    }

    @Test
    void whatTheFrameworkHoldsBackForAMessageGoesBeforeWhatTheNextOneWrites() {
        Inbox<C> inbox = inbox((payload, context) -> {
            if (payload.equals("0")) {
                fixture.defer(context, payload);
            } else {
                fixture.write(context, payload);
            }
        });
        assertThat(kinds(inbox.process(messages(2)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("0", "1");
    }

    @Test
    void deferredWriteIsNotOvertakenByWhatGoesThroughTheFramework() {
        Inbox<C> inbox = inbox((payload, context) -> {
            framework().deferByContext(context, "first");
            fixture.write(context, "second");
        });
        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("first", "second");
    }

    @Test
    void whatTheFrameworkHoldsBackBehindASavepointGoesWithARollbackToIt() {
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.defer(context, "kept");
            framework().undo(context, () -> fixture.defer(context, "undone"));
        });
        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("kept");
    }

    @Test
    void whatIsToRunAfterTheCommitRunsThenAndOnce() {
        assumeTrue(framework().bindsThreads());
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            framework().afterCommit(() -> ran.add(payload + " of " + fixture.effects()));
            assertThat(ran).isEmpty();
        });
        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(ran).containsExactly("x of [x]");
    }

    @Test
    void whatThrowsAfterTheCommitChangesNothing() {
        assumeTrue(framework().bindsThreads());
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            framework().afterCommit(() -> {
                throw new IllegalStateException("of the test");
            });
            framework().afterCommit(() -> ran.add(payload));
        });
        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(ran).containsExactly("x");
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void handlerThatAllowsOnlyARollbackCostsItsMessageOnly() {
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (payload.equals("4")) {
                framework().allowOnlyRollback(context);
            }
        });
        List<Kind> kinds = kinds(inbox.process(messages(10)));
        assertThat(kinds).containsOnly(Kind.PROCESSED, Kind.PARKED).containsOnlyOnce(Kind.PARKED);
        assertThat(fixture.effects()).hasSize(9).doesNotHaveDuplicates().doesNotContain("4");
    }

    @Test
    void whatTheFrameworkThrowsBehindACommitIsNoRollback() {
        assumeTrue(framework().bindsThreads());
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            framework().failBehindCommit();
        });
        Message message = message("x");
        try {
            assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        } catch (OutcomeUnknownException e) {
            assertThat(e).hasMessageContaining("ledger");
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void whatIsToRunAfterTheCommitDoesNotRunAfterARollback() {
        assumeTrue(framework().bindsThreads());
        try (CallersTransaction own = framework().beginBound()) {
            own.write("x");
            framework().afterCommit(() -> ran.add("x"));
        }
        assertThat(ran).isEmpty();
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void claimInTheTransactionOfTheThreadGoesWithIt() {
        assumeTrue(framework().bindsThreads());
        Inbox<C> inbox = writing();
        Message message = message("x");
        try (CallersTransaction own = framework().beginBound()) {
            assertThat(inbox.claim(message, framework().joinedLedger())).isTrue();
            own.write("rolled back");
        }
        try (CallersTransaction own = framework().beginBound()) {
            assertThat(inbox.claim(message, framework().joinedLedger())).isTrue();
            own.write("mine");
            own.commit();
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.DUPLICATE);
        assertThat(fixture.effects()).containsExactly("mine");
    }

    @Test
    void messageToSendThatIsAppendedInTheTransactionOfTheThreadGoesWithIt() {
        assumeTrue(framework().bindsThreads());
        String destination = "destination " + UUID.randomUUID();
        List<String> heard = new ArrayList<>();
        Runnable end = fixture.store().whenAppended((to, workPartitions) -> heard.add(to));
        OutboxMessage toSend = OutboxMessage.to(destination).payload("x").build();
        try (CallersTransaction own = framework().beginBound()) {
            own.write("rolled back");
            framework().joinedOutbox().append(toSend);
        }
        assertThat(fixture.store().appendedTo(destination)).isEmpty();
        assertThat(heard).isEmpty();
        try (CallersTransaction own = framework().beginBound()) {
            own.write("mine");
            framework().joinedOutbox().append(toSend);
            own.commit();
        }
        assertThat(fixture.store().appendedTo(destination)).hasSize(1);
        assertThat(heard).containsExactly(destination);
        end.run();
    }

    @Test
    void noMessageIsAppendedBehindTheCommit() {
        assumeTrue(framework().bindsThreads());
        String destination = "destination " + UUID.randomUUID();
        OutboxMessage toSend = OutboxMessage.to(destination).payload("x").build();
        List<Throwable> refused = new ArrayList<>();
        try (CallersTransaction own = framework().beginBound()) {
            own.write("mine");
            framework()
                    .behindCommit(() -> refused.add(
                            catchThrowable(() -> framework().joinedOutbox().append(toSend))));
            own.commit();
        }
        assertThat(refused).hasSize(1).first().isInstanceOf(IllegalStateException.class);
        assertThat(fixture.store().appendedTo(destination)).isEmpty();
        assertThat(fixture.effects()).containsExactly("mine");
    }

    @Test
    void deferredWriteInATransactionOfSomebodyElseIsExecutedAtOnce() {
        assumeTrue(framework().bindsThreads());
        try (CallersTransaction own = framework().beginBound()) {
            own.write("rolled back");
            framework().deferJoined("rolled back too");
            assertThat(framework().effectsInTransaction()).isEqualTo(2);
        }
        assertThat(fixture.effects()).isEmpty();
        try (CallersTransaction own = framework().beginBound()) {
            framework().deferJoined("committed");
            own.commit();
        }
        assertThat(fixture.effects()).containsExactly("committed");
    }

    @Test
    void handlersTransactionCanBeJoinedInTheHandler() {
        assumeTrue(framework().bindsThreads());
        Inbox<C> inbox = inbox((payload, context) -> {
            framework().deferJoined(payload);
            throw new IllegalStateException("once");
        });
        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PARKED);
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void inboxIsNotCalledInATransactionOfTheThread() {
        assumeTrue(framework().bindsThreads());
        Inbox<C> inbox = writing();
        Message message = message("x");
        try (CallersTransaction own = framework().beginBound()) {
            own.write("mine");
            assertThatThrownBy(() -> inbox.process(message))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in a transaction of its own already");
        }
        assertThat(inbox.process(message).kind()).isEqualTo(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void nothingIsJoinedOutsideOfATransaction() {
        assertThatThrownBy(() -> framework().joinedLedger())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in no transaction");
        assertThatThrownBy(() -> framework().deferJoined("x")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> framework().joinedOutbox())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in no transaction to append");
    }

    @Test
    void transactionOfAnInboxThatIsNotBoundToItsThreadIsNotJoined() {
        assumeFalse(framework().bindsThreads());
        Inbox<C> inbox = inbox((payload, context) -> {
            assertThatThrownBy(() -> framework().deferJoined(payload)).isInstanceOf(IllegalStateException.class);
            fixture.write(context, payload);
        });
        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PROCESSED);
    }
}
