package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.failure.StoreUnavailableException;
import io.pigeonhole.core.handler.Completion;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.HistoryMode;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.replay.Replay;
import io.pigeonhole.core.retry.RetryPolicy;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Everything that the engine does, on a pool of one connection. */
abstract class OneConnectionTests<C extends HandlerContext> extends FlowLab<C> {
    private static final Author ANN = new Author("ann", "the cause is gone");

    OneConnectionTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private static void anotherDatabaseIsAway() {
        throw new StoreUnavailableException("the handler's other database is away", null);
    }

    @Test
    @Tag("B7")
    void messageWhoseHandlerFindsAnotherDatabaseAwayIsParkedAndTheOthersAreProcessed() {
        Inbox<C> inbox = builder((payload, context) -> {
                    fixture.write(context, payload);
                    if (payload.equals("3")) {
                        anotherDatabaseIsAway();
                    }
                })
                .retry(RETRY)
                .build();

        var outcomes = inbox.process(messages(10));

        assertThat(outcomes.get(3).kind()).isEqualTo(Kind.PARKED);
        assertThat(fixture.effects()).hasSize(9).doesNotContain("3");
        assertThat(parked()).containsExactly("3");
    }

    @Test
    @Tag("B7")
    void connectionThatIsLostBeforeTheHandlersIsReplaced() {
        plan.at(CrashPoint.AFTER_CLAIM, 1, () -> {
            throw new StoreException(ErrorClass.UNAVAILABLE, "the connection was lost", null);
        });

        assertThat(kinds(writing().process(messages(3)))).containsOnly(Kind.PROCESSED);
    }

    @Test
    @Tag("B7")
    void messagesAreParkedTriedAgainGivenUpOnAndRequeued() {
        Inbox<C> inbox = ordered(KeyOrder.BLOCK_ON_DEAD_LETTERS)
                .retry(RetryPolicy.fixed(LATER).jitter(0).maxAttempts(2))
                .build();
        fail("a1", 1);
        fail("b1", 2);
        List<Message> messages = keyed("a1", "a2", "b1", "b2", "c1");

        inbox.process(messages);
        inbox.process(messages);
        assertThat(parked()).containsExactlyInAnyOrder("a1", "b1");
        workLater(inbox);
        assertThat(dead()).containsExactly("b1 RETRIES_EXHAUSTED");
        Admin.of(fixture.adminStore()).requeue(consumer, keyOf(inbox, messages.get(2)), Requeue.atOnce(), ANN);
        inbox.work();

        assertThat(fixture.effects()).containsExactlyInAnyOrder("a1", "a2", "b1", "b2", "c1");
    }

    @Test
    @Tag("B7")
    void storeIsMaintainedAndItsHistoryReplayed() {
        Inbox<C> inbox = builder((payload, context) -> {})
                .history(HistoryMode.WITH_PAYLOAD)
                .build();
        inbox.process(messages(20));

        store.maintain();
        store.retire();
        fixture.adminStore().sizes();
        Replay.builder("run of " + consumer, consumer, store, ANN)
                .into(PayloadDecoder.text(), this::write)
                .build()
                .run();

        assertThat(fixture.effects()).hasSize(20);
    }

    @Test
    @Tag("B8")
    void heartbeatsOfManyInboxesLeaveTheConnectionToOthers() throws InterruptedException {
        int inboxes = 3;
        CountDownLatch beats = new CountDownLatch(3 * inboxes);
        plan.always(CrashPoint.AFTER_HEARTBEAT, beats::countDown);
        List<Future<Integer>> working = new ArrayList<>();
        for (int i = 0; i < inboxes; i++) {
            Inbox<C> inbox = Inbox.builder(randomName(), store)
                    .handleExternal(TYPE, PayloadDecoder.text(), (payload, context) -> {
                        assertThat(beats.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS))
                                .isTrue();
                        assertThat(context.isLeaseLost()).isFalse();
                        Completion<C> completion = each -> fixture.write(each, payload);
                        return completion;
                    })
                    .lease(Duration.ofSeconds(3))
                    .retry(RETRY)
                    .build();
            inbox.process(message("" + i));
            working.add(threads.start(inbox::work));
        }
        Inbox<C> other = Inbox.builder(randomName(), store)
                .handle(TYPE, PayloadDecoder.text(), this::write)
                .build();

        do {
            other.process(message("beside"));
        } while (!beats.await(100, TimeUnit.MILLISECONDS) && working.stream().noneMatch(Future::isDone));
        for (Future<Integer> each : working) {
            assertThat(Threads.result(each)).isEqualTo(1);
        }

        assertThat(fixture.effects()).contains("0", "1", "2", "beside");
    }
}
