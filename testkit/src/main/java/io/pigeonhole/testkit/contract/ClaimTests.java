package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pigeonhole.core.failure.ClaimBlockedException;
import io.pigeonhole.core.failure.DeadReason;
import io.pigeonhole.core.failure.ErrorClass;
import io.pigeonhole.core.failure.StoreException;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import io.pigeonhole.core.store.InboxTransaction;
import io.pigeonhole.core.store.RegisteredConsumer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Of all transactions that ever claim a key, one gets it. */
abstract class ClaimTests<C extends HandlerContext> extends StoreLab<C> {
    private static final int THREADS = 8;

    ClaimTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void newKeysAreClaimedTogether() {
        List<MessageKey> keys = keys(500);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(transaction.claim(consumer, keys, LONG).claimed()).containsExactlyInAnyOrderElementsOf(keys);
            transaction.commit();
        }
        assertThat(claimed(keys.toArray(MessageKey[]::new)).claimed()).isEmpty();
    }

    @Test
    void onlyTheNewOnesOfManyKeysAreClaimed() {
        List<MessageKey> keys = keys(4);
        claimed(keys.get(1), keys.get(2));

        assertThat(claimed(keys.toArray(MessageKey[]::new)).claimed())
                .containsExactlyInAnyOrder(keys.get(0), keys.get(3));
    }

    @Test
    void aKeyIsClaimedOnceWithinOneTransactionToo() {
        MessageKey key = key(0);
        try (InboxTransaction<C> transaction = begin()) {
            assertThat(claim(transaction, key).claimed()).containsExactly(key);
            assertThat(claim(transaction, key).claimed()).isEmpty();
        }
    }

    @Test
    void oneOfManyThreadsGetsTheKey() throws Exception {
        for (int round = 0; round < 5; round++) {
            MessageKey key = key(round);
            List<Set<MessageKey>> claims = threads.together(
                    THREADS, thread -> new HashSet<>(claimed(key).claimed()));
            assertThat(claims.stream().filter(claim -> claim.contains(key))).hasSize(1);
        }
    }

    @Test
    void overlappingClaimsInSortedOrderGiveEveryKeyToOneThread() throws Exception {
        List<MessageKey> keys = keys(200);
        List<List<MessageKey>> perThread = threads.together(THREADS, thread -> {
            List<MessageKey> won = new ArrayList<>();
            List<MessageKey> mine = new ArrayList<>(keys);
            Collections.shuffle(mine, new Random(thread));
            for (int from = 0; from < mine.size(); from += 20) {
                List<MessageKey> some = new ArrayList<>(mine.subList(from, from + 20));
                some.sort(null);
                won.addAll(claimed(some.toArray(MessageKey[]::new)).claimed());
            }
            return won;
        });
        assertThat(perThread.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    void threadsThatRollBackHalfOfTheirClaimsLoseNoKey() throws Exception {
        List<MessageKey> keys = keys(20);
        AtomicInteger won = new AtomicInteger();
        threads.together(THREADS, thread -> {
            for (MessageKey key : keys) {
                for (int attempt = 0; attempt < 2; attempt++) {
                    try (InboxTransaction<C> transaction = begin()) {
                        boolean mine = claim(transaction, key).claimed().contains(key);
                        if (mine && attempt == 1) {
                            transaction.commit();
                            won.incrementAndGet();
                        }
                    }
                }
            }
            return thread;
        });
        assertThat(won).hasValue(keys.size());
    }

    @Test
    void claimWaitsForAConcurrentDuplicateAndGetsTheKeyWhenThatRollsBack() throws Exception {
        MessageKey key = key(0);
        Future<Claim> waiting;
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, key);
            waiting = startClaim(key);
            assertThatItStillWaits(waiting);
        }
        assertThat(Threads.result(waiting).claimed()).containsExactly(key);
    }

    @Test
    void claimWaitsForAConcurrentDuplicateAndIsADuplicateWhenThatCommits() throws Exception {
        MessageKey key = key(1);
        Future<Claim> waiting;
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, key);
            waiting = startClaim(key);
            assertThatItStillWaits(waiting);
            duplicate.commit();
        }
        assertThat(Threads.result(waiting).claimed()).isEmpty();
    }

    @Test
    void claimOfAKnownKeyTellsWhetherTheConsumerHasDeadLetters() {
        MessageKey known = key(0);
        claimed(known);
        assertThat(claimed(known).hasDeadLetters()).isFalse();
        try (InboxTransaction<C> transaction = begin()) {
            transaction.deadLetter(consumer, List.of(dead(message(2), DeadReason.LATE, false)));
            transaction.commit();
        }
        assertThat(claimed(known).hasDeadLetters()).isTrue();
    }

    @Test
    void claimThatWaitedSeesWhatItsConcurrentDuplicateDeadLettered() throws Exception {
        Message message = message(0);
        Future<Claim> waiting;
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, keyOf(message));
            waiting = startClaim(keyOf(message));
            assertThatItStillWaits(waiting);
            duplicate.deadLetter(consumer, List.of(dead(message, DeadReason.PERMANENT_FAILURE, true)));
            duplicate.commit();
        }
        assertThat(Threads.result(waiting).claimed()).isEmpty();
        assertThat(Threads.result(waiting).hasDeadLetters()).isTrue();
    }

    private Future<Claim> startClaim(MessageKey key) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Future<Claim> claim = threads.start(() -> {
            try (InboxTransaction<C> transaction = begin()) {
                begun.countDown();
                Claim answer = claim(transaction, key);
                transaction.commit();
                return answer;
            }
        });
        assertThat(begun.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
        return claim;
    }

    private static void assertThatItStillWaits(Future<Claim> claim) {
        assertThatThrownBy(() -> claim.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void claimIsBlockedWhenItsConcurrentDuplicateDoesNotEndInTime() {
        MessageKey key = key(0);
        try (InboxTransaction<C> duplicate = begin();
                InboxTransaction<C> other = begin()) {
            claim(duplicate, key);
            assertThatThrownBy(() -> other.claim(consumer, List.of(key), SHORT))
                    .isInstanceOf(ClaimBlockedException.class);
            duplicate.commit();
        }
        assertThat(claimed(key).claimed()).isEmpty();
    }

    @Test
    void blockedClaimLeavesNothingBehind() {
        List<MessageKey> keys = keys(3);
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, keys.get(1));
            try (InboxTransaction<C> other = begin()) {
                assertThatThrownBy(() -> other.claim(consumer, keys, SHORT)).isInstanceOf(ClaimBlockedException.class);
            }
            assertThat(claimed(keys.get(0), keys.get(2)).claimed()).hasSize(2);
        }
    }

    @Test
    void transactionWhoseClaimWasBlockedCannotCommit() {
        MessageKey held = key(0);
        MessageKey free = key(1);
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, held);
            try (InboxTransaction<C> other = begin()) {
                claim(other, free);
                assertThatThrownBy(() -> other.claim(consumer, List.of(held), SHORT))
                        .isInstanceOf(ClaimBlockedException.class);
                assertThatThrownBy(other::commit)
                        .isInstanceOfSatisfying(
                                StoreException.class,
                                refused -> assertThat(store.classify(refused)).isEqualTo(ErrorClass.ABORTED));
            }
        }
        assertThat(claimed(free).claimed()).containsExactly(free);
    }

    @Test
    void blockedClaimIsUndoneBySavepointAndTheOthersGoOn() {
        MessageKey held = key(0);
        MessageKey first = key(1);
        MessageKey second = key(2);
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, held);
            try (InboxTransaction<C> other = begin()) {
                claim(other, first);
                other.savepoint();
                assertThatThrownBy(() -> other.claim(consumer, List.of(held), SHORT))
                        .isInstanceOf(ClaimBlockedException.class);
                other.rollbackToSavepoint();
                claim(other, second);
                other.commit();
            }
        }
        assertThat(claimed(first).claimed()).isEmpty();
        assertThat(claimed(second).claimed()).isEmpty();
        assertThat(claimed(held).claimed()).containsExactly(held);
    }

    @Test
    void patienceHoldsForItsClaimOnly() throws Exception {
        MessageKey held = key(0);
        MessageKey free = key(1);
        try (InboxTransaction<C> duplicate = begin()) {
            claim(duplicate, held);
            CountDownLatch shortClaimIsDone = new CountDownLatch(1);
            Future<Claim> waiting = threads.start(() -> {
                try (InboxTransaction<C> other = begin()) {
                    other.claim(consumer, List.of(free), SHORT);
                    shortClaimIsDone.countDown();
                    Claim answer = claim(other, held);
                    other.commit();
                    return answer;
                }
            });
            assertThat(shortClaimIsDone.await(Threads.LONGEST_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertThatItStillWaits(waiting);
            duplicate.commit();
            assertThat(Threads.result(waiting).claimed()).isEmpty();
        }
    }

    @Test
    void consumersHaveLedgersOfTheirOwn() {
        MessageKey key = key(0);
        RegisteredConsumer other = register();
        try (InboxTransaction<C> transaction = begin();
                InboxTransaction<C> othersTransaction = begin()) {
            assertThat(claim(transaction, key).claimed()).containsExactly(key);
            assertThat(othersTransaction.claim(other, List.of(key), SHORT).claimed())
                    .containsExactly(key);
            othersTransaction.commit();
            transaction.commit();
        }
        assertThat(claimed(key).claimed()).isEmpty();
    }
}
