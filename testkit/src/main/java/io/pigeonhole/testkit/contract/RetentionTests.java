package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.admin.Answer;
import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.admin.Sizes;
import io.pigeonhole.core.admin.TableSize;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.FinishedMessage;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.Retired;
import io.pigeonhole.core.store.WorkItem;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is past its time is deleted, nothing before. */
abstract class RetentionTests<C extends HandlerContext> extends StoreLab<C> {
    private static final int MOST_PIECES = 1_000;
    private static final Duration BEYOND_THE_WINDOW = Duration.ofDays(9);
    private static final Author SOMEBODY = new Author("ann", "the clock is right");

    RetentionTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void duplicatesWithinTheWindowAreToldWhateverIsForgotten() {
        MessageKey timeOrdered = keyOf(message(Ids.timeOrdered(Ids.now().plusSeconds(1))));
        MessageKey digest = keyOf(message(Ids.opaque()));
        claimed(timeOrdered, digest);

        for (int day = 1; day <= 6; day++) {
            afterDays(1);

            Claim again = claimed(timeOrdered, digest);
            assertThat(again.claimed()).as("after %s days", day).isEmpty();
            assertThat(again.isLate(timeOrdered)).isFalse();
        }
    }

    @Test
    void keyInTimeFormBeyondTheWindowIsLateAndNotClaimed() {
        MessageKey old = keyOf(message(Ids.timeOrdered(Ids.now().plusSeconds(1))));
        MessageKey neverSeen = keyOf(message(Ids.timeOrdered(Ids.now().plusSeconds(1))));
        claimed(old);

        forgetAfter(BEYOND_THE_WINDOW);

        Claim again = claimed(inOrder(old, neverSeen));
        assertThat(again.claimed()).isEmpty();
        assertThat(again.isLate(old)).isTrue();
        assertThat(again.isLate(neverSeen)).isTrue();
    }

    /** A day goes only behind the ledger's bounds: whoever comes between two pieces must not find it gone and its keys in time. */
    @Test
    void keyOfADayThatGoesIsLateAfterEveryPiece() {
        MessageKey old = keyOf(message(Ids.timeOrdered(Ids.now().plusSeconds(1))));
        claimed(old);
        fixture.advance(BEYOND_THE_WINDOW);
        confirmClock();
        store.maintain();
        boolean more = true;
        while (more) {
            more = store.retire().more();
            Claim again = claimed(old);
            assertThat(again.claimed()).isEmpty();
            assertThat(again.isLate(old)).isTrue();
        }
    }

    @Test
    void keyInDigestFormBeyondTheWindowIsForgotten() {
        MessageKey digest = keyOf(message(Ids.opaque()));
        claimed(digest);

        assertThat(forgetAfter(BEYOND_THE_WINDOW)).isPositive();

        assertThat(claimed(digest).claimed()).containsExactly(digest);
    }

    /** A jump of the clock, or an outage: what comes again afterwards must meet its key. */
    @Test
    @Tag("C7")
    @Tag("D3")
    @Tag("F39")
    void clockThatJumpsAheadForgetsNothingBeforeSomebodyConfirmsIt() {
        MessageKey old = keyOf(message(Ids.timeOrdered(Ids.now().plusSeconds(1))));
        MessageKey digest = keyOf(message(Ids.opaque()));
        claimed(old, digest);

        fixture.advance(Duration.ofDays(35));
        store.maintain();
        forget();
        forget();

        Claim again = claimed(old, digest);
        assertThat(again.claimed()).isEmpty();
        assertThat(again.isLate(old)).isFalse();
        MessageKey next = keyOf(message(Ids.timeOrdered(Ids.now().plusSeconds(2))));
        assertThat(claimed(next).claimed()).containsExactly(next);

        confirmClock();
        forget();

        assertThat(claimed(digest).claimed()).containsExactly(digest);
        assertThat(claimed(old).isLate(old)).isTrue();
    }

    @Test
    @Tag("C7")
    void clockThatIsConfirmedAlreadyIsUnchanged() {
        fixture.advance(BEYOND_THE_WINDOW);
        store.maintain();

        Answer answer = fixture.adminStore().confirmClock(SOMEBODY);

        assertThat(answer.kind()).isEqualTo(Answer.Kind.DONE);
        assertThat(answer.detail()).startsWith("ages count from ");
        assertThat(fixture.adminStore().confirmClock(SOMEBODY).kind()).isEqualTo(Answer.Kind.UNCHANGED);
    }

    @Test
    void keysOfUnfinishedMessagesAndDeadLettersAreKept() {
        Message unfinished = message(Ids.opaque());
        Message dead = message(Ids.opaque());
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, inOrder(keyOf(unfinished), keyOf(dead)));
            transaction.park(consumer, List.of(parked(unfinished)));
            transaction.deadLetter(consumer, List.of(dead(dead, DeadReason.UNDECODABLE, true)));
            transaction.commit();
        }

        forgetAfter(BEYOND_THE_WINDOW);

        assertThat(claimed(inOrder(keyOf(unfinished), keyOf(dead))).claimed()).isEmpty();
    }

    @Test
    void lateKeysOfUnfinishedMessagesAreKnown() {
        Message unfinished = message(Ids.timeOrdered(Ids.now().plusSeconds(1)));
        MessageKey key = keyOf(unfinished);
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, key);
            transaction.park(consumer, List.of(parked(unfinished)));
            transaction.commit();
        }

        forgetAfter(BEYOND_THE_WINDOW);

        try (InboxTransaction<C> transaction = begin()) {
            assertThat(claim(transaction, key).isLate(key)).isTrue();
            assertThat(transaction.known(consumer, List.of(key))).containsExactly(key);
        }
    }

    @Test
    void historyAndAttemptsGoAfterTheirTimeUnlessTheirMessageIsThere() {
        Message finished = message(Ids.opaque());
        Message unfinished = message(Ids.opaque());
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, inOrder(keyOf(finished), keyOf(unfinished)));
            transaction.park(consumer, List.of(parked(finished), parked(unfinished)));
            transaction.record(consumer, List.of(new FinishedMessage(keyOf(finished), finished, 1, true)));
            transaction.commit();
        }
        fixture.advance(Duration.ofHours(2));
        finish(keyOf(finished));

        forgetAfter(Duration.ofDays(28));
        assertThat(fixture.history(consumer.name())).hasSize(1);
        assertThat(fixture.attempts(consumer.name(), keyOf(finished))).hasSize(1);

        forgetAfter(Duration.ofDays(4));
        assertThat(fixture.history(consumer.name())).isEmpty();
        assertThat(fixture.attempts(consumer.name(), keyOf(finished))).isEmpty();
        assertThat(fixture.attempts(consumer.name(), keyOf(unfinished))).hasSize(1);
    }

    @Test
    void whatIsForgottenIsForgottenOnceWhenManyForgetAtOnce() throws InterruptedException {
        MessageKey digest = keyOf(message(Ids.opaque()));
        MessageKey timeOrdered = keyOf(message(Ids.timeOrdered(Ids.now().plusSeconds(1))));
        claimed(timeOrdered, digest);
        fixture.advance(BEYOND_THE_WINDOW);
        confirmClock();
        store.maintain();

        threads.together(3, number -> forget());
        forget();

        assertThat(claimed(timeOrdered).isLate(timeOrdered)).isTrue();
        assertThat(claimed(digest).claimed()).containsExactly(digest);
        assertThat(store.retire()).isEqualTo(Retired.NOTHING);
    }

    @Test
    void sizesTellTheLedgersEndsAndItsTables() {
        fixture.advance(BEYOND_THE_WINDOW);
        confirmClock();
        store.maintain();
        forget();

        Sizes sizes = fixture.adminStore().sizes();

        assertThat(sizes.window()).isEqualTo(store.window());
        assertThat(sizes.daysAhead()).isGreaterThanOrEqualTo(8);
        assertThat(sizes.ledgerBegins()).isAfter(Ids.now()).isBefore(sizes.ledgerEnds());
        assertThat(sizes.ledgerEnds()).isEqualTo(fixture.beyondTheLedger().truncatedTo(ChronoUnit.MILLIS));
        assertThat(sizes.tables())
                .extracting(TableSize::name)
                .contains(
                        "inbox_attempt",
                        "inbox_audit",
                        "inbox_dead_letter",
                        "inbox_history",
                        "inbox_ledger",
                        "inbox_work");
        assertThat(sizes.upkeep()).allMatch(task -> !task.underWay() && task.rowsPerSecond() >= 0);
    }

    @Test
    void windowIsToldAndIsAWeekByItself() {
        assertThat(store.window()).isEqualTo(Duration.ofDays(7));
    }

    private static MessageKey[] inOrder(MessageKey one, MessageKey other) {
        return one.compareTo(other) < 0 ? new MessageKey[] {one, other} : new MessageKey[] {other, one};
    }

    private void finish(MessageKey key) {
        try (InboxTransaction<C> transaction = begin()) {
            int workPartition = consumer.workPartitionOf(message("any"), key);
            assertThat(transaction.enter(consumer, workPartition)).isTrue();
            WorkItem item = transaction.take(consumer, workPartition, 10).stream()
                    .filter(each -> each.key().equals(key))
                    .findAny()
                    .orElseThrow();
            transaction.finish(consumer, List.of(item));
            transaction.commit();
        }
    }

    private void afterDays(int days) {
        forgetAfter(Duration.ofDays(days));
    }

    /** Moves the clock and forgets all that is due; answers how many rows were deleted one by one. */
    private long forgetAfter(Duration duration) {
        fixture.advance(duration);
        confirmClock();
        store.maintain();
        return forget();
    }

    /** As somebody does after an outage. */
    private void confirmClock() {
        fixture.adminStore().confirmClock(SOMEBODY);
    }

    private long forget() {
        long rows = 0;
        Retired done = store.retire();
        for (int i = 0; done.more(); i++) {
            assertThat(i).as("pieces").isLessThan(MOST_PIECES);
            rows += done.rows();
            done = store.retire();
        }
        return rows + done.rows();
    }
}
