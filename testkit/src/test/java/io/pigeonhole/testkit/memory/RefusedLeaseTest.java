package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases beside a database that refuses, or takes long. */
class RefusedLeaseTest {
    @Test
    @Tag("A1")
    void leaseIsLeftToRunOutWhereTheDatabaseRefusesToFinishItsMessage() {
        CrashPlan plan = CrashPlan.none().always(CrashPoint.BEFORE_FINISH, () -> {
            throw new StoreException(ErrorClass.UNKNOWN, "no right to delete from inbox_work", null);
        });
        InMemoryStore store = InMemoryStore.create();
        Inbox<InMemoryContext> inbox = Inbox.builder("calls", new CrashingStore<>(store, plan))
                .handleExternal("call", PayloadDecoder.text(), (payload, context) -> Completion.nothing())
                .build();
        inbox.process(Message.builder("notes").id("1").type("call").payload("x").build());

        assertThatThrownBy(inbox::work)
                .isInstanceOf(RetryableException.class)
                .hasMessageContaining("the database refused a statement of the inbox itself");

        assertThat(plan.passages(CrashPoint.BEFORE_FINISH)).isEqualTo(10);
    }

    /** Whoever gives up on a call that was made has it made once more when its lease has run out. */
    @Test
    @Tag("A1")
    void finishedCallWaitsForAsLongAsItsLeaseLastsForADatabaseThatCommitsNothing() {
        AtomicInteger refusals = new AtomicInteger();
        CrashPlan plan = CrashPlan.none().always(CrashPoint.BEFORE_HOLD, () -> {
            // Ten times as many transactions as are tried before a refusal is told.
            if (refusals.incrementAndGet() <= 120) {
                throw new StoreException(ErrorClass.UNAVAILABLE, "out of memory", null);
            }
        });
        AtomicInteger calls = new AtomicInteger();
        InMemoryStore store = InMemoryStore.create();
        Inbox<InMemoryContext> inbox = Inbox.builder("calls", new CrashingStore<>(store, plan))
                .handleExternal("call", PayloadDecoder.text(), (payload, context) -> {
                    calls.incrementAndGet();
                    return Completion.nothing();
                })
                .build();
        inbox.process(Message.builder("notes").id("1").type("call").payload("x").build());

        assertThat(inbox.work()).isEqualTo(1);

        assertThat(calls).hasValue(1);
        assertThat(store.work("calls")).isEmpty();
    }

    @Test
    @Tag("B2")
    void leaseLastsFromWhenItWasTakenAndNotFromWhenThatWasCommitted() {
        Duration duration = Duration.ofSeconds(1);
        CrashPlan plan = CrashPlan.none()
                .always(CrashPoint.AFTER_LEASE, () -> {
                    long leased = System.nanoTime();
                    await().until(() -> System.nanoTime() - leased >= duration.toNanos());
                })
                .always(CrashPoint.BEFORE_HEARTBEAT, () -> {
                    throw new StoreException(ErrorClass.UNAVAILABLE, "the database is away", null);
                });
        List<Boolean> lost = new ArrayList<>();
        Inbox<InMemoryContext> inbox = Inbox.builder("calls", new CrashingStore<>(InMemoryStore.create(), plan))
                .handleExternal("call", PayloadDecoder.text(), (payload, context) -> {
                    lost.add(context.isLeaseLost());
                    return Completion.nothing();
                })
                .lease(duration)
                .build();
        inbox.process(Message.builder("notes").id("1").type("call").payload("x").build());

        inbox.work();

        assertThat(lost).containsExactly(true);
    }
}
