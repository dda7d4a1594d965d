package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.ExternalHandler;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import io.pigeonhole.testkit.memory.InMemoryContext;
import io.pigeonhole.testkit.memory.InMemoryFixture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LeasedMessageTest {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private final InMemoryFixture fixture = new InMemoryFixture();
    private final CrashPlan plan = CrashPlan.none();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Message message =
            Message.builder("notes").id("1").type("call").payload("x").build();

    private InboxBuilder<InMemoryContext> builder(ExternalHandler<String, InMemoryContext> handler) {
        return Inbox.builder("calls", new CrashingStore<>(fixture.store(), plan))
                .handleExternal("call", PayloadDecoder.text(), handler)
                .workPartitions(1)
                .lease(LEASE);
    }

    @Test
    @Tag("C6")
    void leaseThatRanOutWhileItWasAskedWhetherAFailedAttemptIsCommittedIsLost() {
        Inbox<InMemoryContext> other = builder((payload, context) -> Completion.nothing())
                .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                .build();
        Inbox<InMemoryContext> inbox = builder((payload, context) -> {
                    plan.at(CrashPoint.BEFORE_COMMIT, plan.passages(CrashPoint.BEFORE_COMMIT) + 1, () -> {
                        throw new OutcomeUnknownException("the connection was lost as COMMIT was sent", null);
                    });
                    // The database is away for longer than the lease.
                    plan.at(CrashPoint.BEFORE_BEGIN, plan.passages(CrashPoint.BEFORE_BEGIN) + 2, () -> {
                        fixture.advance(Duration.ofMinutes(1));
                        other.work();
                        long since = System.nanoTime();
                        await().until(() -> System.nanoTime() - since > LEASE.toNanos());
                    });
                    throw new IllegalStateException("no answer");
                })
                .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                .listener(new InboxListener() {
                    @Override
                    public void onOutcome(String name, Message message, Outcome outcome) {
                        told.add(outcome.kind().name());
                    }

                    @Override
                    public void onLeaseLost(String name, Message message) {
                        told.add("lost");
                    }
                })
                .build();
        inbox.process(message);
        inbox.work();

        assertThat(fixture.parked("calls")).hasSize(1);
        assertThat(told).containsExactly("RECEIVED", "lost");
    }

    @Test
    @Tag("C6")
    void messageWhoseLeaseWasReleasedInItsLastAttemptIsDeadAndSaysSo() {
        Inbox<InMemoryContext> inbox = builder((payload, context) -> Completion.nothing())
                .retry(RetryPolicy.never())
                .build();
        inbox.process(message);
        try (InboxTransaction<InMemoryContext> transaction = fixture.store().begin(Duration.ofMinutes(1))) {
            assertThat(transaction.enter(inbox.registered(), 0)).isTrue();
            assertThat(transaction.lease(inbox.registered(), 0, 1, "node", LEASE))
                    .hasSize(1);
            transaction.commit();
        }
        Admin admin = Admin.of(fixture.adminStore());
        admin.releaseLease(
                "calls", Envelope.of(message, inbox.registered()).key(), new Author("ann", "its node is gone"));
        inbox.work();

        assertThat(admin.deadLetters(DeadLetterFilter.of("calls"), PageRequest.first(10))
                        .entries())
                .singleElement()
                .satisfies(letter -> {
                    assertThat(letter.reason()).isEqualTo(DeadReason.RETRIES_EXHAUSTED);
                    assertThat(letter.detail())
                            .startsWith("1 attempts have failed and 1 are allowed")
                            .contains("was released");
                });
    }

    @Test
    @Tag("C6")
    void messageWhoseLeaseIsLostIsNotCountedAsDone() {
        Inbox<InMemoryContext> other = builder((payload, context) -> Completion.nothing())
                .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                .build();
        Inbox<InMemoryContext> inbox = builder((payload, context) -> {
                    fixture.advance(Duration.ofMinutes(1));
                    assertThat(other.work()).isEqualTo(1);
                    return Completion.nothing();
                })
                .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                .build();
        inbox.process(message);

        assertThat(inbox.work()).isZero();
        assertThat(fixture.parked("calls")).hasSize(1);
    }

    @Test
    @Tag("C6")
    void whatIsDueBehindAMessageWhoseLeaseIsLostIsWorkedOnInTheSameCall() {
        Inbox<InMemoryContext> other = builder((payload, context) -> Completion.nothing())
                .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                .build();
        List<String> calls = new CopyOnWriteArrayList<>();
        Inbox<InMemoryContext> inbox = builder((payload, context) -> {
                    calls.add(payload);
                    if (payload.equals("x")) {
                        fixture.advance(Duration.ofMinutes(1));
                        assertThat(other.work()).isEqualTo(1);
                        other.process(Message.builder("notes")
                                .id("2")
                                .type("call")
                                .payload("y")
                                .build());
                    }
                    return Completion.nothing();
                })
                .retry(RetryPolicy.fixed(Duration.ofHours(1)))
                .build();
        inbox.process(message);

        assertThat(inbox.work()).isEqualTo(1);
        assertThat(calls).containsExactly("x", "y");
    }
}
