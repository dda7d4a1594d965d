package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A machine that is paused takes the time of a handler that is running on it. */
@Tag("B11")
class StandstillTest {
    private static final Duration HANDLER_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LONGEST_CALL = Duration.ofSeconds(20);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final AtomicLong now = new AtomicLong();
    private final EngineSettings settings = new EngineSettings(
            HANDLER_TIMEOUT,
            SECOND,
            HistoryMode.NONE,
            Reception.INLINE,
            OnRedeliveredDeadLetter.KEEP,
            false,
            4,
            100,
            1000,
            SECOND,
            SECOND,
            Duration.ofHours(1),
            "node");
    private final RunningBatches running =
            new RunningBatches("paused", settings, new Listeners("paused", List.of()), now::get);
    private final RunningBatches.Running batch = running.begin(new NoIntake());
    private final List<Envelope> messages = List.of(Envelope.of(new WorkItem(
            1,
            MessageKey.FIRST_DIGEST,
            Message.builder("q").id("1").payload("x").build(),
            1,
            0,
            Duration.ZERO,
            true,
            1)));

    private static final class NoIntake implements Intake<HandlerContext> {
        @Override
        public void admit(InboxTransaction<HandlerContext> transaction, Dispatcher<HandlerContext> dispatcher) {}

        @Override
        public List<Envelope> group() {
            return List.of();
        }

        @Override
        public Intake<HandlerContext> part(List<Envelope> part) {
            return this;
        }
    }

    private void standStill(Duration time) {
        now.addAndGet(time.toNanos());
        running.look();
    }

    private void goOn(Duration time) {
        for (Duration left = time; !left.isZero(); left = left.minus(SECOND)) {
            now.addAndGet(SECOND.toNanos());
            running.look();
        }
    }

    private boolean isInterruptedDuring(Runnable call) throws Exception {
        return batch.call(messages, () -> {
            call.run();
            return Thread.currentThread().isInterrupted();
        });
    }

    @Test
    void callIsNotChargedForATimeInWhichTheProcessStoodStill() throws Exception {
        boolean interrupted = isInterruptedDuring(() -> {
            standStill(Duration.ofHours(8));
            goOn(LONGEST_CALL.minus(SECOND));
        });
        assertThat(interrupted).isFalse();
        assertThat(batch.wasLate()).isFalse();
    }

    @Test
    void callThatTakesTooLongIsInterruptedAllTheSame() {
        assertThatThrownBy(() -> batch.call(messages, () -> {
                    standStill(Duration.ofHours(8));
                    goOn(LONGEST_CALL);
                    throw new InterruptedException(Thread.interrupted() ? "interrupted" : "not yet");
                }))
                .isInstanceOf(HandlerTimeoutException.class)
                .cause()
                .hasMessage("interrupted");
    }

    /** Or looks that are slow for another reason would let a call hang for ever. */
    @Test
    void onlyOneSuchTimeIsForgivenForEachCall() throws Exception {
        boolean first = isInterruptedDuring(() -> {
            standStill(LONGEST_CALL);
            standStill(LONGEST_CALL);
        });
        boolean second = isInterruptedDuring(() -> standStill(LONGEST_CALL));
        assertThat(first).isTrue();
        assertThat(second).isFalse();
    }

    @Test
    void callThatBeganAfterItIsNotGivenMoreTime() throws Exception {
        now.addAndGet(Duration.ofHours(8).toNanos());
        boolean interrupted = isInterruptedDuring(() -> {
            running.look();
            goOn(LONGEST_CALL);
        });
        assertThat(interrupted).isTrue();
    }
}
