package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Deduplication;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Who has a partition, and who cannot move its watermark any more. */
abstract class LogOwnerTests<C extends HandlerContext> extends LogLab<C> {
    LogOwnerTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void partitionThatNobodyHadHasNoPositionUntilItsBeginningIsFixed() {
        Inbox<C> inbox = writing();
        Watermark first = inbox.acquire(FIRST, LOG);
        assertThat(first.hasPosition()).isFalse();
        assertThat(inbox.acquire(FIRST, LOG).position()).isEqualTo(Watermark.UNKNOWN);
        Watermark begun = inbox.beginAt(inbox.acquire(FIRST, LOG), 42);
        assertThat(begun.position()).isEqualTo(42);
        Watermark next = inbox.acquire(FIRST, LOG);
        assertThat(next.position()).isEqualTo(42);
        assertThat(next.assignment()).isEqualTo(begun.assignment() + 1).isEqualTo(first.assignment() + 3);
    }

    @Test
    void beginningIsFixedByTheLastOwnerOnly() {
        Inbox<C> inbox = writing();
        Watermark old = inbox.acquire(FIRST, LOG);
        Watermark current = inbox.acquire(FIRST, LOG);
        assertThatThrownBy(() -> inbox.beginAt(old, 7)).isInstanceOf(WatermarkMovedException.class);
        inbox.beginAt(current, 8);
        assertThatThrownBy(() -> inbox.beginAt(current, 9)).isInstanceOf(WatermarkMovedException.class);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(8);
    }

    @Test
    void messagesBeforeTheBeginningIsFixedAreRefused() {
        Inbox<C> inbox = writing();
        Watermark owner = inbox.acquire(FIRST, LOG);
        assertThatThrownBy(() -> inbox.process(at(owner, 0)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("no position");
    }

    @Test
    void ownerThatWasReplacedCommitsNothing() {
        Inbox<C> inbox = writing();
        Watermark old = own(inbox, FIRST);
        inbox.process(range(old, 0, 3));
        Watermark current = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(old, 3, 6)))).containsOnly(Kind.BUSY);
        assertThat(fixture.effects()).hasSize(3);
        assertThat(kinds(inbox.process(range(current, 3, 6)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).doesNotHaveDuplicates().hasSize(6);
    }

    @Test
    void ownerThatIsReplacedInTheMiddleOfABatchCommitsNothingAndNobodyIsBlamed() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        Inbox<C> inbox = inbox((payload, context) -> {
            write(payload, context);
            meanwhile.getAndSet(() -> {}).run();
        });
        Watermark old = own(inbox, FIRST);
        meanwhile.set(() -> fixture.store().acquire(inbox.registered(), FIRST, LOG));
        assertThat(kinds(inbox.process(range(old, 0, 5)))).containsOnly(Kind.BUSY);
        assertThat(fixture.effects()).isEmpty();
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(positionOf(inbox, FIRST)).isZero();
    }

    @Test
    void otherPartitionsOfABatchGoOnWithoutTheReplacedOne() {
        Inbox<C> inbox = writing();
        Watermark old = own(inbox, FIRST);
        Watermark second = own(inbox, SECOND);
        own(inbox, FIRST);
        List<Message> messages = new ArrayList<>(range(old, 0, 2));
        messages.addAll(range(second, 0, 2));
        assertThat(kinds(inbox.process(messages)))
                .containsExactly(Kind.BUSY, Kind.BUSY, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("1@0", "1@1");
        assertThat(positionOf(inbox, SECOND)).isEqualTo(2);
    }

    @Test
    void anotherLogOfTheSameNameIsRefusedWithBothNames() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        inbox.process(range(owner, 0, 3));
        assertThatThrownBy(() -> inbox.acquire(FIRST, "log:other"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(LOG)
                .hasMessageContaining("log:other")
                .hasMessageContaining("forgetWatermarks");
        assertThat(kinds(inbox.process(range(owner, 3, 4)))).containsExactly(Kind.PROCESSED);
    }

    @Test
    void programThatDeduplicatesOtherwiseIsRefusedWithBothNames() {
        writing();
        for (Deduplication other : List.of(Deduplication.IDS, Deduplication.HYBRID)) {
            by = other;
            assertThatThrownBy(this::writing)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("WATERMARKS")
                    .hasMessageContaining(other.name())
                    .hasMessageContaining("deduplicateBy");
        }
    }

    /** Each owner goes on where it finds the position, and is replaced at any moment. */
    @Test
    void ownersThatTakeThePartitionFromEachOtherApplyEachMessageOnce() throws InterruptedException {
        int messages = 120;
        Inbox<C> inbox = writing();
        own(inbox, FIRST);
        AtomicInteger done = new AtomicInteger();
        threads.together(3, number -> {
            while (done.get() < messages) {
                Watermark owner = inbox.acquire(FIRST, LOG);
                long position = owner.position();
                boolean mine = true;
                while (mine && position < messages) {
                    long end = Math.min(messages, position + 3 + number);
                    List<Outcome> outcomes = inbox.process(range(owner, position, end));
                    mine = outcomes.stream().allMatch(Outcome::settled);
                    position = mine ? end : position;
                    if (mine && position % 2 == 0) {
                        break;
                    }
                }
                done.accumulateAndGet((int) (mine ? position : 0), Math::max);
            }
            return number;
        });
        assertThat(fixture.effects())
                .containsExactlyElementsOf(payloads(range(inbox.acquire(FIRST, LOG), 0, messages)));
        assertThat(fixture.parked(consumer)).isEmpty();
    }
}
