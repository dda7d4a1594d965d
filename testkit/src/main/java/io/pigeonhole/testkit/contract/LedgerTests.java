package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The ledger in a transaction of the caller's own. */
abstract class LedgerTests<C extends HandlerContext> extends StoreLab<C> {
    LedgerTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void claimCountsWhenTheCallerCommits() {
        MessageKey key = key(0);
        try (CallersTransaction own = fixture.begin()) {
            assertThat(own.ledger().claim(consumer, key).claimed()).containsExactly(key);
            own.write("mine");
            own.commit();
        }
        assertThat(fixture.effects()).containsExactly("mine");
        assertThat(claimed(key).claimed()).isEmpty();
    }

    @Test
    void claimIsGoneWhenTheCallerRollsBack() {
        MessageKey key = key(1);
        try (CallersTransaction own = fixture.begin()) {
            own.ledger().claim(consumer, key);
            own.write("mine");
        }
        assertThat(fixture.effects()).isEmpty();
        assertThat(claimed(key).claimed()).containsExactly(key);
    }

    @Test
    void engineAndCallerDoNotBothGetAKey() {
        MessageKey key = key(0);
        claimed(key);
        try (CallersTransaction own = fixture.begin()) {
            assertThat(own.ledger().claim(consumer, key).claimed()).isEmpty();
        }
    }

    @Test
    void callerWaitsForADeliveryOfTheEngine() throws Exception {
        MessageKey key = key(1);
        CountDownLatch begun = new CountDownLatch(1);
        Future<Claim> waiting;
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, key);
            waiting = threads.start(() -> {
                try (CallersTransaction own = fixture.begin()) {
                    begun.countDown();
                    return own.ledger().claim(consumer, key);
                }
            });
            assertThat(begun.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
            duplicate.commit();
        }
        assertThat(Threads.result(waiting).claimed()).isEmpty();
    }

    @Test
    void containsSeesWhatIsCommittedAndWhatIsItsOwn() {
        MessageKey accepted = key(0);
        MessageKey own = key(1);
        MessageKey unseen = key(2);
        claimed(accepted);
        try (CallersTransaction transaction = fixture.begin()) {
            transaction.ledger().claim(consumer, own);
            assertThat(transaction.ledger().contains(consumer, accepted)).isTrue();
            assertThat(transaction.ledger().contains(consumer, own)).isTrue();
            assertThat(transaction.ledger().contains(consumer, unseen)).isFalse();
            assertThat(transaction.ledger().contains(register(), accepted)).isFalse();
        }
    }

    @Test
    void containsFindsParkedMessagesBeyondTheBounds() {
        Message message = message(Ids.timeOrdered(Ids.now().plusSeconds(1)));
        try (InboxTransaction<C> transaction = begin()) {
            claim(transaction, keyOf(message));
            transaction.park(consumer, List.of(parked(message)));
            transaction.commit();
        }
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));
        try (CallersTransaction transaction = fixture.begin()) {
            assertThat(transaction.ledger().contains(consumer, keyOf(message))).isTrue();
        }
    }

    @Test
    void lateKeyIsNotClaimedForTheCaller() {
        Instant later = Ids.now().plus(Duration.ofHours(1));
        MessageKey late = keyOf(message(Ids.timeOrdered(later.minusSeconds(1))));
        fixture.ledgerBounds(later);
        try (CallersTransaction transaction = fixture.begin()) {
            Claim claim = transaction.ledger().claim(consumer, late);
            assertThat(claim.claimed()).isEmpty();
            assertThat(claim.isLate(late)).isTrue();
        }
    }
}
