package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.AdminAction;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeueReport;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.PermanentFailure;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.inbox.Outcome.Kind;
import io.pigeonhole.core.inbox.Reception;
import io.pigeonhole.core.message.Deduplication;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageId;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Watermark;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Consumers that change how they deduplicate, and logs that are made anew. */
abstract class LogSwitchTests<C extends HandlerContext> extends LogLab<C> {
    private static final Author ANN = new Author("ann", "it grows too large");

    // Set before each test.
    @SuppressWarnings("NullAway.Init")
    private Admin admin;

    LogSwitchTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @BeforeEach
    void takeAdmin() {
        admin = Admin.of(fixture.adminStore());
    }

    private Inbox<C> switchTo(Deduplication mode) {
        fixture.pause(consumer, true);
        assertThat(admin.deduplicateBy(consumer, mode, ANN).kind()).isEqualTo(Answer.Kind.DONE);
        fixture.pause(consumer, false);
        by = mode;
        return writing();
    }

    /** As a log has them: what {@code seen} names is what its producer gave it. */
    private static List<Message> log(Watermark owner, List<@Nullable String> ids, int from, int to) {
        List<Message> messages = new ArrayList<>();
        for (int i = from; i < to; i++) {
            messages.add(at(owner, i, ids.get(i), null));
        }
        return messages;
    }

    /** The broker delivers at each change again what lies behind its last commit of offsets. */
    @Test
    void consumerGoesFromIdsToWatermarksAndBackWithoutAGapOrARepeat() {
        List<@Nullable String> ids = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            ids.add(Ids.opaque());
        }
        by = Deduplication.IDS;
        Inbox<C> inbox = writing();
        Watermark anybody = new Watermark(FIRST, LOG, 1, 0, -1);
        inbox.process(log(anybody, ids, 0, 20));

        inbox = switchTo(Deduplication.HYBRID);
        Watermark owner = inbox.forSources().beginAt(inbox.forSources().acquire(FIRST, LOG), 12);
        assertThat(kinds(inbox.process(log(owner, ids, 12, 30))))
                .filteredOn(Kind.DUPLICATE::equals)
                .hasSize(8);

        inbox = switchTo(Deduplication.WATERMARKS);
        owner = inbox.forSources().acquire(FIRST, LOG);
        assertThat(owner.position()).isEqualTo(30);
        assertThat(kinds(inbox.process(log(owner, ids, 30, 40)))).containsOnly(Kind.PROCESSED);

        inbox = switchTo(Deduplication.HYBRID);
        owner = inbox.forSources().acquire(FIRST, LOG);
        assertThat(kinds(inbox.process(log(owner, ids, 40, 50)))).containsOnly(Kind.PROCESSED);

        inbox = switchTo(Deduplication.IDS);
        assertThat(kinds(inbox.process(log(anybody, ids, 41, 60))))
                .filteredOn(Kind.DUPLICATE::equals)
                .hasSize(9);
        assertThat(fixture.effects()).containsExactlyElementsOf(payloads(log(anybody, ids, 0, 60)));

        inbox = switchTo(Deduplication.HYBRID);
        assertThat(inbox.forSources().acquire(FIRST, LOG).position()).isEqualTo(Watermark.GIVEN_UP);
        assertThat(admin.audit(consumer, PageRequest.first(20)).entries())
                .extracting(AuditEntry::action)
                .filteredOn(AdminAction.DEDUPLICATE::equals)
                .hasSize(5);
    }

    /** Delivery threads finish out of order, so that more is applied than lies behind the committed offset. */
    @Test
    @Tag("A5")
    void consumerWithIdsMadeOfPlacesGoesToHybridAndBackWithoutARepeat() {
        List<@Nullable String> places = new ArrayList<>();
        List<@Nullable String> none = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            places.add(LOG + "/" + FIRST.partition() + "/" + i);
            none.add(null);
        }
        by = Deduplication.IDS;
        Inbox<C> inbox = writing();
        Watermark anybody = new Watermark(FIRST, LOG, 1, 0, -1);
        inbox.process(log(anybody, places, 0, 20));

        inbox = switchTo(Deduplication.HYBRID);
        Watermark owner = inbox.forSources().beginAt(inbox.forSources().acquire(FIRST, LOG), 12);
        assertThat(kinds(inbox.process(log(owner, none, 12, 30))))
                .filteredOn(Kind.DUPLICATE::equals)
                .hasSize(8);
        assertThat(inbox.forSources().acquire(FIRST, LOG).position()).isEqualTo(30);

        inbox = switchTo(Deduplication.IDS);
        assertThat(kinds(inbox.process(log(anybody, places, 25, 50))))
                .filteredOn(Kind.DUPLICATE::equals)
                .hasSize(5);
        assertThat(fixture.effects()).containsExactlyElementsOf(payloads(log(anybody, places, 0, 50)));
    }

    @Test
    void keyOfAnIdIsRefusedWhereMessagesAreKnownByTheirPlaces() {
        writing();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> admin.keyOf(consumer, FIRST.source(), MessageId.of("1")))
                .withMessageContaining("WATERMARKS")
                .withMessageContaining("take the key from");
    }

    @Test
    void keyOfAnIdIsTheOneOfItsMessageWhereIdsAreKnownBesidePlaces() {
        by = Deduplication.HYBRID;
        Inbox<C> inbox = writing();
        inbox.process(List.of(at(own(inbox, FIRST), 0, "1", null)));
        MessageKey key = admin.keyOf(consumer, FIRST.source(), MessageId.of("1"));
        assertThat(admin.show(consumer, key)).isPresent();
    }

    @Test
    void changeIsRefusedWhileTheConsumerWorks() {
        by = Deduplication.HYBRID;
        Inbox<C> inbox = writing();
        own(inbox, FIRST);
        Answer answer = admin.deduplicateBy(consumer, Deduplication.WATERMARKS, ANN);
        assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
        assertThat(answer.detail()).contains("not paused");
        assertThat(admin.deduplicateBy(consumer, Deduplication.HYBRID, ANN).kind())
                .isEqualTo(Answer.Kind.UNCHANGED);
    }

    @Test
    void changeWithoutHybridBetweenIsRefused() {
        writing();
        fixture.pause(consumer, true);
        Answer answer = admin.deduplicateBy(consumer, Deduplication.IDS, ANN);
        assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
        assertThat(answer.detail()).contains("HYBRID");
    }

    @Test
    void whoReadBeforeTheChangeCommitsNothingAfterIt() {
        Inbox<C> before = writing();
        Watermark owner = own(before, FIRST);
        switchTo(Deduplication.HYBRID);
        assertThat(kinds(before.process(range(owner, 0, 3)))).containsOnly(Kind.BUSY);
        assertThat(fixture.effects()).isEmpty();
    }

    @Test
    void forgottenLogIsTakenAsOneNeverSeen() {
        Inbox<C> inbox = writing();
        Watermark owner = own(inbox, FIRST);
        inbox.process(range(owner, 0, 5));
        assertThat(admin.forgetWatermarks(consumer, "others", ANN).kind()).isEqualTo(Answer.Kind.NOT_FOUND);
        assertThat(admin.forgetWatermarks(consumer, FIRST.source(), ANN).kind()).isEqualTo(Answer.Kind.DONE);
        assertThat(kinds(inbox.process(range(owner, 5, 6)))).containsOnly(Kind.BUSY);
        Watermark anew = inbox.forSources().acquire(FIRST, "log:other");
        assertThat(anew.position()).isEqualTo(Watermark.FORGOTTEN);
        assertThat(inbox.forSources().acquire(FIRST, "log:other").position()).isEqualTo(Watermark.FORGOTTEN);
        assertThat(inbox.forSources()
                        .beginAt(inbox.forSources().acquire(FIRST, "log:other"), 0)
                        .position())
                .isZero();
        assertThat(admin.audit(consumer, PageRequest.first(20)).entries())
                .extracting(AuditEntry::action)
                .contains(AdminAction.FORGET_WATERMARKS);
    }

    @ParameterizedTest
    @EnumSource(Reception.class)
    @Tag("B5")
    void messageThatIsInWorkAndReadAgainFromAForgottenLogIsADuplicate(Reception reception) {
        Inbox<C> inbox = builder((payload, context) -> {
                    throw new IllegalStateException("not now");
                })
                .reception(reception)
                .build();
        Watermark owner = own(inbox, FIRST);
        Kind kept = reception == Reception.STORE ? Kind.RECEIVED : Kind.PARKED;
        assertThat(kinds(inbox.process(range(owner, 0, 2)))).containsOnly(kept);
        admin.forgetWatermarks(consumer, FIRST.source(), ANN);

        Watermark anew = inbox.forSources().beginAt(inbox.forSources().acquire(FIRST, LOG), 0);
        assertThat(kinds(inbox.process(range(anew, 0, 3)))).containsExactly(Kind.DUPLICATE, Kind.DUPLICATE, kept);
        assertThat(admin.work(WorkFilter.of(consumer), PageRequest.first(10)).entries())
                .hasSize(3);
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        assertThat(positionOf(inbox, FIRST)).isEqualTo(3);
    }

    /** A record that failed for good, read again from a forgotten log, is in work beside its dead letter. */
    private void leaveLettersOfWhichTheFirstIsInWorkAgain() {
        AtomicBoolean forGood = new AtomicBoolean(true);
        Inbox<C> inbox = inbox((payload, context) -> {
            if (forGood.get()) {
                throw new PermanentFailure("as it says");
            }
            throw new IllegalStateException("not now");
        });
        assertThat(kinds(inbox.process(range(own(inbox, FIRST), 0, 2)))).containsOnly(Kind.DEAD);
        admin.forgetWatermarks(consumer, FIRST.source(), ANN);
        forGood.set(false);
        assertThat(kinds(inbox.process(range(own(inbox, FIRST), 0, 1)))).containsOnly(Kind.PARKED);
    }

    @Test
    void letterWhoseMessageIsInWorkAgainIsRemovedAndHoldsUpNoOther() {
        leaveLettersOfWhichTheFirstIsInWorkAgain();

        assertThat(admin.requeue(admin.select(DeadLetterFilter.of(consumer)), Requeue.atOnce(), ANN))
                .isEqualTo(new RequeueReport(1, 1, 0, 0, null));
        assertThat(fixture.deadLetters(consumer)).isEmpty();
        assertThat(admin.work(WorkFilter.of(consumer), PageRequest.first(10)).entries())
                .hasSize(2);
    }

    @Test
    void requeueOfALetterWhoseMessageIsInWorkAgainIsADuplicate() {
        leaveLettersOfWhichTheFirstIsInWorkAgain();
        MessageKey key = admin.work(WorkFilter.of(consumer), PageRequest.first(10))
                .entries()
                .get(0)
                .message()
                .key();

        assertThat(admin.requeue(consumer, key, Requeue.atOnce(), ANN).kind()).isEqualTo(Answer.Kind.DUPLICATE);
        assertThat(fixture.deadLetters(consumer)).hasSize(1);
        assertThat(admin.work(WorkFilter.of(consumer), PageRequest.first(10)).entries())
                .hasSize(1);
    }
}
