package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.failure.ConsumerPausedException;
import io.pigeonhole.core.failure.OutcomeUnknownException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.inbox.Reception;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.Watermark;
import io.pigeonhole.testkit.crash.CrashPoint;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are distinguished from redelivered ones by their place. */
abstract class LogProcessingTests<C extends HandlerContext> extends LogLab<C> {
    LogProcessingTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void positionMovesWithTheEffects() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(owner, 0, 10)))).containsOnly(Kind.PROCESSED);
        Watermark next = inbox.forSources().acquire(FIRST, LOG);
        assertThat(next.position()).isEqualTo(10);
        assertThat(next.leaderEpoch()).isEqualTo(3);
        assertThat(next.log()).isEqualTo(LOG);
        assertThat(fixture.effects()).containsExactlyElementsOf(payloads(range(owner, 0, 10)));
    }

    @Test
    void whatLiesBehindThePositionIsADuplicate() {
        Inbox<C> inbox = writing();
        inbox.process(range(own(inbox, FIRST), 0, 5));
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(owner, 3, 7))))
                .containsExactly(Kind.DUPLICATE, Kind.DUPLICATE, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(kinds(inbox.process(range(owner, 0, 7)))).containsOnly(Kind.DUPLICATE);
        assertThat(fixture.effects()).hasSize(7).doesNotHaveDuplicates();
        assertThat(positionOf(inbox, FIRST)).isEqualTo(7);
    }

    @Test
    void offsetsMayHaveGaps() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        inbox.process(List.of(at(owner, 4), at(owner, 9), at(owner, 100)));
        assertThat(kinds(inbox.process(List.of(at(owner, 207))))).containsExactly(Kind.PROCESSED);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(208);
    }

    @Test
    void offsetsThatDoNotAscendAreRefused() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        assertThatThrownBy(() -> inbox.process(List.of(at(owner, 4), at(owner, 3))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ascending");
        assertThat(positionOf(inbox, FIRST)).isZero();
    }

    /** The first would be refused, and the second have its effect without a step of the watermark, and have it again. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IDS")
    void messagesOfTwoAssignmentsInOneCallAreRefused(Deduplication mode) {
        by = mode;
        Inbox<C> inbox = writing();
        Watermark earlier = own(inbox, FIRST);
        Watermark owner = own(inbox, FIRST);
        assertThatThrownBy(() -> inbox.process(List.of(at(earlier, 0), at(owner, 1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("by a call of its own");
        assertThat(fixture.effects()).isEmpty();

        assertThat(kinds(inbox.process(List.of(at(earlier, 0))))).containsExactly(Kind.BUSY);
        assertThat(kinds(inbox.process(range(owner, 0, 2)))).containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).hasSize(2);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(2);
    }

    @Test
    void messageThatComesFromNoLogIsRefused() {
        Inbox<C> inbox = writing();
        assertThatThrownBy(() -> inbox.process(message("from a queue")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("WATERMARKS")
                .hasMessageContaining("comes from no log");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IDS")
    void failedMessageIsParkedAndPassedAndWorkedOnLater(Deduplication mode) {
        by = mode;
        AtomicBoolean ill = new AtomicBoolean(true);
        Inbox<C> inbox = inbox((payload, context) -> {
            write(payload, context);
            if (ill.get() && payload.equals("0@2")) {
                throw new IllegalStateException("not now");
            }
        });
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(owner, 0, 5))))
                .containsExactly(Kind.PROCESSED, Kind.PROCESSED, Kind.PARKED, Kind.PROCESSED, Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactlyInAnyOrder("0@0", "0@1", "0@3", "0@4");
        assertThat(positionOf(inbox, FIRST)).isEqualTo(5);
        ill.set(false);
        fixture.advance(Duration.ofHours(2));
        assertThat(inbox.work()).isEqualTo(1);
        assertThat(fixture.effects()).hasSize(5).contains("0@2");
        assertThat(kinds(inbox.process(range(own(inbox, FIRST), 2, 3)))).containsExactly(Kind.DUPLICATE);
    }

    /** More than one chunk, so that the position moves step by step. */
    @Test
    void manyFailuresCostOnlyThemselves() {
        Set<String> bad = Set.of("0@3", "0@35", "0@36", "0@71");
        Inbox<C> inbox = inbox((payload, context) -> {
            write(payload, context);
            if (bad.contains(payload)) {
                throw new IllegalStateException("never");
            }
        });
        Watermark owner = own(inbox, FIRST);
        List<Message> messages = range(owner, 0, 72);
        List<Kind> kinds = kinds(inbox.process(messages));
        assertThat(kinds).containsOnly(Kind.PROCESSED, Kind.PARKED);
        assertThat(kinds).filteredOn(kind -> kind == Kind.PARKED).hasSize(4);
        assertThat(fixture.effects()).hasSize(68).doesNotHaveDuplicates().doesNotContainAnyElementsOf(bad);
        assertThat(fixture.parked(consumer)).hasSize(4);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(72);
    }

    @Test
    void commitWithAnUnknownEndIsSettledByThePosition() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        plan.at(CrashPoint.AFTER_COMMIT, plan.passages(CrashPoint.AFTER_COMMIT) + 1, () -> {
            throw new OutcomeUnknownException("the test says so", null);
        });
        assertThatThrownBy(() -> inbox.process(range(owner, 0, 4))).isInstanceOf(OutcomeUnknownException.class);
        assertThat(kinds(inbox.process(range(owner, 0, 4)))).containsOnly(Kind.DUPLICATE);
        assertThat(fixture.effects()).hasSize(4).doesNotHaveDuplicates();
        assertThat(fixture.parked(consumer)).isEmpty();
        assertThat(positionOf(inbox, FIRST)).isEqualTo(4);
    }

    @Test
    void pausedConsumerRunsNoHandler() {
        AtomicInteger runs = new AtomicInteger();
        Inbox<C> inbox = inbox((payload, context) -> {
            runs.incrementAndGet();
            write(payload, context);
        });
        Watermark owner = own(inbox, FIRST);
        fixture.pause(consumer, true);
        assertThatThrownBy(() -> inbox.process(range(owner, 0, 2))).isInstanceOf(ConsumerPausedException.class);
        assertThat(runs).hasValue(0);
        fixture.pause(consumer, false);
        assertThat(kinds(inbox.process(range(owner, 0, 2)))).containsOnly(Kind.PROCESSED);
    }

    @Test
    void storedMessagesArePassedAndWorkedOn() {
        Inbox<C> inbox = builder(this::write).reception(Reception.STORE).build();
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(owner, 0, 6)))).containsOnly(Kind.RECEIVED);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(6);
        assertThat(fixture.effects()).isEmpty();
        assertThat(inbox.work()).isEqualTo(6);
        assertThat(fixture.effects()).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    void unusableMessageIsDeadLetteredAndPassedAndCanBeRequeued() {
        AtomicBoolean ill = new AtomicBoolean(true);
        Inbox<C> inbox = builder()
                .handle(
                        TYPE,
                        payload -> {
                            if (ill.get()) {
                                throw new IllegalArgumentException("what is this?");
                            }
                            return PayloadDecoder.text().decode(payload);
                        },
                        this::write)
                .build();
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(range(owner, 0, 1)))).containsExactly(Kind.DEAD);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(1);
        ill.set(false);
        Admin admin = Admin.of(fixture.adminStore());
        var key = fixture.deadLetters(consumer).get(0).key();
        assertThat(admin.requeue(consumer, key, Requeue.atOnce(), new Author("ann", "mended"))
                        .hasChanged())
                .isTrue();
        inbox.work();
        assertThat(fixture.effects()).containsExactly("0@0");
    }

    @Test
    void orderOfAKeyIsKeptBehindAFailedMessage() {
        AtomicBoolean ill = new AtomicBoolean(true);
        Inbox<C> inbox = builder((payload, context) -> {
                    if (ill.get() && payload.equals("0@0")) {
                        throw new IllegalStateException("not now");
                    }
                    write(payload, context);
                })
                .order(KeyOrder.SKIP_DEAD_LETTERS)
                .build();
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(
                        List.of(at(owner, 0, null, "a"), at(owner, 1, null, "b"), at(owner, 2, null, "a")))))
                .containsExactly(Kind.PARKED, Kind.PROCESSED, Kind.RECEIVED);
        assertThat(kinds(inbox.process(List.of(at(owner, 3, null, "a"), at(owner, 4, null, "b")))))
                .containsExactly(Kind.RECEIVED, Kind.PROCESSED);
        assertThat(positionOf(inbox, FIRST)).isEqualTo(5);
        ill.set(false);
        fixture.advance(Duration.ofHours(2));
        inbox.work();
        assertThat(fixture.effects()).containsExactly("0@1", "0@4", "0@0", "0@2", "0@3");
    }

    @Test
    void whatAProducerSendsTwiceTakesEffectTwice() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        assertThat(kinds(inbox.process(List.of(at(owner, 0, "same", null), at(owner, 1, "same", null)))))
                .containsOnly(Kind.PROCESSED);
        assertThat(fixture.effects()).containsExactly("0@0", "0@1");
    }
}
