package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Admin;
import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.AuditEntry;
import io.pigeonhole.core.admin.DeadLetterFilter;
import io.pigeonhole.core.admin.PageRequest;
import io.pigeonhole.core.admin.Requeue;
import io.pigeonhole.core.admin.RequeueReport;
import io.pigeonhole.core.admin.Selection;
import io.pigeonhole.core.admin.WorkEntry;
import io.pigeonhole.core.admin.WorkFilter;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.KeyOrder;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Dead letters that go back to work together. */
abstract class BulkRequeueTests<C extends HandlerContext> extends AdminLab<C> {
    BulkRequeueTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    private DeadLetterFilter all() {
        return DeadLetterFilter.of(name());
    }

    private List<Message> deadLettered(int count) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(message(i));
        }
        deadLetter(messages.toArray(Message[]::new));
        return messages;
    }

    @Test
    void lettersThatDiedAfterTheSelectionStayDead() {
        List<Message> before = deadLettered(2);
        Selection selection = admin.select(all());
        List<Message> after = deadLettered(1);

        assertThat(admin.requeue(selection, Requeue.atOnce(), ANN)).isEqualTo(new RequeueReport(2, 0, 0, 0, null));
        assertThat(available()).containsExactlyInAnyOrderElementsOf(keysOf(before));
        assertThat(deadKeys()).isEqualTo(keysOf(after));
        assertThat(admin.select(all(), selection.cutoff()).count()).isZero();
    }

    @Test
    void countOfASelectionIsWhatIsMoved() {
        deadLettered(3);
        deadLetterUnclaimed(message(0), DeadReason.TOO_LARGE);
        Selection selection = admin.select(all().withReason(DeadReason.RETRIES_EXHAUSTED));

        assertThat(selection.count()).isEqualTo(3);
        assertThat(admin.requeue(selection, Requeue.atOnce(), ANN).requeued()).isEqualTo(3);
        assertThat(letters()).hasSize(1);
    }

    @Test
    void manyLettersAreMovedInParts() {
        int count = Admin.PART + 3;
        deadLettered(count);

        assertThat(admin.requeue(admin.select(all()), Requeue.atOnce(), ANN).requeued())
                .isEqualTo(count);
        assertThat(summary().received()).isEqualTo(count);
        assertThat(letters()).isEmpty();
        assertThat(audit()).extracting(AuditEntry::affected).containsExactly(3L, (long) Admin.PART);
    }

    /** How long after the first message each is due. */
    private List<Duration> spread() {
        List<WorkEntry> work = admin.work(WorkFilter.of(name()), PageRequest.first(PageRequest.MOST))
                .entries();
        return work.stream()
                .map(entry -> Duration.between(work.get(0).dueAt(), entry.dueAt()))
                .toList();
    }

    @Test
    void rateSpreadsTheTimesAtWhichMessagesAreDue() {
        List<Message> messages = deadLettered(4);
        admin.requeue(admin.select(all()), Requeue.perSecond(1), ANN);

        assertThat(spread())
                .containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3));
        fixture.advance(Duration.ofSeconds(3));
        assertThat(available()).containsExactlyElementsOf(keysOf(messages));
    }

    @Test
    void rateGoesOnFromPartToPart() {
        deadLettered(Admin.PART + 1);
        admin.requeue(admin.select(all()), Requeue.perSecond(100), ANN);

        assertThat(spread().get(Admin.PART)).isEqualTo(Duration.ofMillis(10L * Admin.PART));
    }

    @Test
    void someCanBeTriedBeforeTheRest() {
        List<Message> messages = deadLettered(3);
        Selection selection = admin.select(all());

        assertThat(admin.requeue(selection, Requeue.atOnce().atMost(1), ANN).requeued())
                .isEqualTo(1);
        assertThat(available()).containsExactly(keyOf(messages.get(0)));
        assertThat(admin.requeue(selection, Requeue.atOnce(), ANN).requeued()).isEqualTo(2);
        assertThat(admin.requeue(selection, Requeue.atOnce(), ANN).requeued()).isZero();
        assertThat(audit()).hasSize(2);
    }

    @Test
    void triesAreNotUsedUpByLettersThatAreRefused() {
        for (int i = 1; i <= 3; i++) {
            deadLetterUnclaimed(message(Ids.timeOrdered(Ids.now().plusSeconds(i))), DeadReason.LATE);
        }
        List<Message> others = deadLettered(2);
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));
        Selection selection = admin.select(all());

        assertThat(admin.requeue(selection, Requeue.atOnce().atMost(1), ANN))
                .isEqualTo(new RequeueReport(1, 0, 3, 0, null));
        assertThat(available()).containsExactly(keyOf(others.get(0)));
        assertThat(admin.requeue(selection, Requeue.atOnce().atMost(1), ANN))
                .isEqualTo(new RequeueReport(1, 0, 3, 0, null));
        assertThat(letters()).hasSize(3);
    }

    @Test
    void conflictsAreLeftOutUnlessTheyAreAskedFor() {
        Message conflict = message(0);
        deadLetterUnclaimed(conflict, DeadReason.CONFLICT);
        List<Message> others = deadLettered(2);

        assertThat(admin.requeue(admin.select(all()), Requeue.atOnce().atMost(1), ANN))
                .isEqualTo(new RequeueReport(1, 0, 0, 1, null));
        assertThat(admin.requeue(admin.select(all()), Requeue.atOnce(), ANN))
                .isEqualTo(new RequeueReport(1, 0, 0, 1, null));
        assertThat(available()).containsExactlyElementsOf(keysOf(others));
        assertThat(deadKeys()).containsExactly(keyOf(conflict));
        assertThat(audit().get(0).detail()).contains("1 conflicts left out");

        assertThat(admin.requeue(admin.select(all().withReason(DeadReason.CONFLICT)), Requeue.atOnce(), ANN))
                .isEqualTo(new RequeueReport(1, 0, 0, 0, null));
        assertThat(available()).contains(keyOf(conflict));
        assertThat(letters()).isEmpty();
    }

    @Test
    void conflictThatIsNamedByItselfIsRequeued() {
        Message conflict = message(0);
        deadLetterUnclaimed(conflict, DeadReason.CONFLICT);

        assertThat(admin.requeue(name(), keyOf(conflict), Requeue.atOnce(), ANN).kind())
                .isEqualTo(Answer.Kind.DONE);
        assertThat(available()).containsExactly(keyOf(conflict));
    }

    @Test
    void lettersAreSortedByWhatTheLedgerKnows() {
        deadLettered(1);
        Message duplicate = message(1);
        deadLetterUnclaimed(duplicate, DeadReason.TOO_LARGE);
        claimed(keyOf(duplicate));
        Message never = message(1);
        deadLetterUnclaimed(never, DeadReason.TOO_LARGE);
        Message late = message(Ids.timeOrdered(Ids.now().plusSeconds(1)));
        deadLetterUnclaimed(late, DeadReason.LATE);
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));

        assertThat(admin.requeue(admin.select(all()), Requeue.atOnce(), ANN))
                .isEqualTo(new RequeueReport(2, 1, 1, 0, null));
        assertThat(deadKeys()).containsExactly(keyOf(late));
        assertThat(admin.requeue(admin.select(all()), Requeue.atOnce().withLate(), ANN))
                .isEqualTo(new RequeueReport(1, 0, 0, 0, null));
        assertThat(audit()).extracting(AuditEntry::affected).containsExactly(1L, 3L);
    }

    @Test
    void twoAtTheSameTimeMoveEachLetterOnce() throws Exception {
        deadLettered(200);
        Selection selection = admin.select(all());
        List<RequeueReport> reports = threads.together(2, thread -> admin.requeue(selection, Requeue.atOnce(), ANN));

        assertThat(reports.stream().mapToLong(RequeueReport::requeued).sum()).isEqualTo(200);
        assertThat(letters()).isEmpty();
    }

    @Test
    void bulkStopsWhereSomethingIsBusyAndGoesOnLater() {
        consumer = register(KeyOrder.BLOCK_ON_DEAD_LETTERS);
        Message dead = ofKey("k");
        deadLetter(dead);
        Selection selection = admin.select(all());
        try (InboxTransaction<C> transaction = begin()) {
            transaction.lock(consumer, List.of(0), SHORT);
            assertThat(admin.requeue(selection, Requeue.atOnce(), ANN).stopReason())
                    .isNotNull();
        }
        assertThat(audit()).isEmpty();
        assertThat(admin.requeue(selection, Requeue.atOnce(), ANN)).isEqualTo(new RequeueReport(1, 0, 0, 0, null));
    }

    @Test
    void selectionOfNothingIsRequeuedWithoutATrace() {
        assertThat(admin.requeue(admin.select(all()), Requeue.atOnce(), ANN).requeued())
                .isZero();
        assertThat(audit()).isEmpty();
    }
}
