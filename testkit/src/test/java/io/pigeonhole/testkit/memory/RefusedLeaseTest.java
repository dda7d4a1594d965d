package io.pigeonhole.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.StoreException;
import io.pigeonhole.testkit.crash.CrashPlan;
import io.pigeonhole.testkit.crash.CrashPoint;
import io.pigeonhole.testkit.crash.CrashingStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of a message under a lease whose end the database refuses to write. */
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
}
