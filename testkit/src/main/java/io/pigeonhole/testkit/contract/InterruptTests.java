package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.delivery.DeliverySettings;
import io.pigeonhole.core.delivery.DeliveryThreads;
import io.pigeonhole.core.failure.RetryableException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.NodeInbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An interrupt ends a thread of ours where we close it, and decides nothing anywhere else. */
@Tag("B1")
abstract class InterruptTests<C extends HandlerContext> extends InboxLab<C> {
    private final List<String> interrupted = new ArrayList<>();

    InterruptTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    /** Notes who finds an interrupt; 0 leaves one behind. */
    private Inbox<C> leavingOneBehind() {
        return inbox((payload, context) -> {
            if (Thread.currentThread().isInterrupted()) {
                interrupted.add(payload);
            }
            fixture.write(context, payload);
            if (payload.equals("0")) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void interruptedHandlerIsItsMessagesFailure() {
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            throw new InterruptedException("by nobody of ours");
        });

        assertThat(inbox.process(message("x")).kind()).isEqualTo(Kind.PARKED);
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).hasSize(1);
    }

    @Test
    void handlerThatKeepsTheInterruptAndThrowsHasFailedAndTheCallerHasTheInterrupt() {
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (payload.equals("1")) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the widespread way");
            }
        });

        assertThat(kinds(inbox.process(messages(3)))).containsExactly(Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0", "2");
    }

    @Test
    void interruptThatAHandlerLeavesBehindReachesNoOtherAndTheCallerHasIt() {
        assertThat(kinds(leavingOneBehind().process(messages(3)))).containsOnly(Kind.PROCESSED);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted).isEmpty();
        assertThat(fixture.effects()).hasSize(3);
    }

    @Test
    void interruptFromBeforeTheCallReachesNoHandlerAndStays() {
        Thread.currentThread().interrupt();

        assertThat(kinds(leavingOneBehind().process(List.of(message("a"), message("b")))))
                .containsOnly(Kind.PROCESSED);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted).isEmpty();
        assertThat(leavingOneBehind().receive(message("c")).kind()).isEqualTo(Kind.RECEIVED);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void handlerOnAThreadThatIsEndedDecidesNothing() {
        AtomicBoolean ending = new AtomicBoolean();
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (payload.equals("1") && ending.compareAndSet(false, true)) {
                throw new InterruptedException("by the owner of the thread");
            }
        });
        List<Message> messages = messages(3);

        assertThatThrownBy(() -> inbox.forSources().process(messages, ending::get))
                .isInstanceOf(RetryableException.class);
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(kinds(inbox.process(messages))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).hasSize(3);
    }

    @Test
    void workOnAThreadThatIsEndedDecidesNothing() {
        AtomicBoolean ending = new AtomicBoolean();
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            if (ending.compareAndSet(false, true)) {
                throw new InterruptedException("by the owner of the thread");
            }
        });
        inbox.receive(message("x"));
        Backlog.Due due = store.due(List.of(inbox.registered())).get(0);

        assertThatThrownBy(() -> inbox.forNodes().work(due, ending::get, new NodeInbox.Progress() {}))
                .isInstanceOf(RetryableException.class);
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(inbox.work()).isEqualTo(1);
        assertThat(fixture.effects()).containsExactly("x");
    }

    @Test
    void closedWorkPartitionsEndAHandlerThatHangsAndCountNoAttempt() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Inbox<C> inbox = inbox((payload, context) -> {
            fixture.write(context, payload);
            began.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                ended.countDown();
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        });
        Message message = message("x");
        String name = randomName();
        DeliveryThreads threads =
                DeliveryThreads.start(name, inbox, DeliverySettings.standard().concurrency(1));
        threads.open().submit(message, outcome -> {
            throw new AssertionError("settled: " + outcome);
        });
        assertThat(began.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();

        threads.close(Duration.ofMillis(50));
        assertThat(ended.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(name)) {
                thread.join(TimeUnit.SECONDS.toMillis(Threads.LONGEST_SECONDS));
                assertThat(thread.isAlive()).isFalse();
            }
        }
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(writing().process(message).kind()).isEqualTo(Kind.PROCESSED);
    }
}
