package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.core.store.WatermarkMovedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who has a partition, and who cannot move its watermark any more. */
abstract class LogOwnerTests<C extends HandlerContext> extends LogLab<C> {
    LogOwnerTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void partitionThatNobodyHadHasNoPositionUntilItsBeginningIsFixed() {
        Inbox<C> inbox = writing();
        Watermark first = inbox.forSources().acquire(FIRST, LOG);
        assertThat(first.hasPosition()).isFalse();
        assertThat(inbox.forSources().acquire(FIRST, LOG).position()).isEqualTo(Watermark.UNKNOWN);
        Watermark begun = inbox.forSources().beginAt(inbox.forSources().acquire(FIRST, LOG), 42);
        assertThat(begun.position()).isEqualTo(42);
        Watermark next = inbox.forSources().acquire(FIRST, LOG);
        assertThat(next.position()).isEqualTo(42);
        assertThat(next.assignment()).isEqualTo(begun.assignment() + 1).isEqualTo(first.assignment() + 3);
    }

    @Test
    void beginningIsFixedByTheLastOwnerOnly() {
        Inbox<C> inbox = writing();
        Watermark old = inbox.forSources().acquire(FIRST, LOG);
        Watermark current = inbox.forSources().acquire(FIRST, LOG);
        assertThatThrownBy(() -> inbox.forSources().beginAt(old, 7)).isInstanceOf(WatermarkMovedException.class);
        inbox.forSources().beginAt(current, 8);
        assertThatThrownBy(() -> inbox.forSources().beginAt(current, 9)).isInstanceOf(WatermarkMovedException.class);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(8);
    }

    @Test
    void messagesBeforeTheBeginningIsFixedAreRefused() {
        Inbox<C> inbox = writing();
        Watermark owner = inbox.forSources().acquire(FIRST, LOG);
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

    /** As after a failover to a standby that was behind: the row is where it was before, its owner further. */
    @Tag("A10")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IDS")
    void watermarkDoesNotPassWhatTheDatabaseHasLost(Deduplication mode) {
        by = mode;
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        inbox.process(range(owner, 0, 3));
        List<Outcome> outcomes =
                inbox.process(List.of(after(5, owner, 5, Ids.opaque(), null), after(6, owner, 6, Ids.opaque(), null)));
        assertThat(kinds(outcomes)).containsOnly(Kind.BUSY);
        assertThat(outcomes.get(0).toString()).contains("is at 3").contains("expects it at 5");
        assertThat(fixture.effects()).hasSize(3);
        Watermark again = inbox.forSources().acquire(FIRST, LOG);
        assertThat(again.position()).isEqualTo(3);
        assertThat(kinds(inbox.process(range(again, 3, 7)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyElementsOf(payloads(range(again, 0, 7)));
    }

    @Tag("A10")
    @Test
    void messagesInFrontOfAGapAreTakenAndThoseBehindItAreNot() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        List<Message> messages = new ArrayList<>(range(owner, 0, 2));
        messages.addAll(range(owner, 4, 6));
        assertThat(kinds(inbox.process(messages)))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.BUSY, Kind.BUSY);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(2);
    }

    /** After a failover that lost an acquisition the same number is given away again. */
    @Tag("A10")
    @Test
    void twoOwnersOfOneNumberApplyEachMessageOnceAndInOrder() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(owner, 0, 4)))).containsOnly(Kind.PROCESSED);
        assertThat(kinds(inbox.process(range(owner, 2, 6))))
                .containsExactly(Kind.DUPLICATE, Kind.DUPLICATE, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(kinds(inbox.process(range(owner, 4, 7))))
                .containsExactly(Kind.DUPLICATE, Kind.DUPLICATE, Kind.PROCESSED);
        Watermark ofAnotherLog = new Watermark(FIRST, "log:other", owner.assignment(), 7, -1);
        assertThat(kinds(inbox.process(range(ofAnotherLog, 7, 8)))).containsExactly(Kind.BUSY);
        assertThat(fixture.effects()).containsExactlyElementsOf(payloads(range(owner, 0, 7)));
    }

    @Tag("B6")
    @Test
    void watermarksTellWhoHasWhatAndWhereItIs() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        inbox.process(range(owner, 0, 3));
        assertThat(inbox.forSources().watermarks(List.of(FIRST, SECOND)))
                .containsExactly(new Watermark(FIRST, LOG, owner.assignment(), 3, 3));
        Watermark next = inbox.forSources().acquire(FIRST, LOG);
        assertThat(inbox.forSources().watermarks(List.of(FIRST))).containsExactly(next);
    }

    @Test
    void anotherLogOfTheSameNameIsRefusedWithBothNames() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        inbox.process(range(owner, 0, 3));
        assertThatThrownBy(() -> inbox.forSources().acquire(FIRST, "log:other"))
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
                Watermark owner = inbox.forSources().acquire(FIRST, LOG);
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
                .containsExactlyElementsOf(payloads(range(inbox.forSources().acquire(FIRST, LOG), 0, messages)));
        assertThat(fixture.parked(consumer)).isEmpty();
    }
}
