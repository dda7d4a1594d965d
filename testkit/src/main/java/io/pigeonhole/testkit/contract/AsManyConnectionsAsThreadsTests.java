package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads, each of which has one connection while it works, on a pool of as many. */
abstract class AsManyConnectionsAsThreadsTests<C extends HandlerContext> extends FlowLab<C> {
    static final int THREADS = 4;

    AsManyConnectionsAsThreadsTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    /** Fails at the first attempt, as if another database were away. */
    private void meetAnotherDatabase(String payload, C context) {
        fixture.write(context, payload);
        if (context.attempt() == 1) {
            throw new StoreUnavailableException("the handler's other database is away", null);
        }
    }

    @Test
    @Tag("B7")
    void threadsThatAllFailAtOnceSettleTheirMessages() throws InterruptedException {
        Inbox<C> inbox = builder(this::meetAnotherDatabase).retry(RETRY).build();

        threads.together(THREADS, thread -> deliver(inbox, messages(3)));
        assertThat(parked()).hasSize(3 * THREADS);
        fixture.advance(LATER);
        threads.together(THREADS, thread -> inbox.work());

        assertThat(parked()).isEmpty();
        assertThat(fixture.effects()).hasSize(3 * THREADS);
    }

    @Test
    @Tag("B7")
    void threadsThatMeetInTheSameKeysAndWorkPartitionsSettleTheirMessages() throws InterruptedException {
        Inbox<C> inbox = ordered(KeyOrder.SKIP_DEAD_LETTERS).build();
        fail("a0", 1);
        List<List<Message>> parts = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            parts.add(keyed("a" + thread, "a then " + thread, "b" + thread, "b then " + thread));
        }

        threads.together(THREADS, thread -> deliver(inbox, parts.get(thread)));
        fixture.advance(LATER);
        threads.together(THREADS, thread -> inbox.work());
        inbox.work();

        assertThat(parked()).isEmpty();
        assertThat(fixture.effects()).hasSize(4 * THREADS);
    }
}
