package io.pigeonhole.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.message.MessageKey;
import io.pigeonhole.core.store.Claim;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Keys of days that the ledger does not have are neither claimed nor called duplicates. */
abstract class LedgerBoundsTests<C extends HandlerContext> extends StoreLab<C> {
    LedgerBoundsTests(Supplier<StoreFixture<C>> fixtures) {
        super(fixtures);
    }

    @Test
    void keyOlderThanTheLedgerIsLateAndNotClaimed() {
        Instant later = Ids.now().plus(Duration.ofHours(1));
        MessageKey late = keyOf(message(Ids.timeOrdered(later.minusMillis(1))));
        MessageKey inTime = keyOf(message(Ids.timeOrdered(later)));
        fixture.ledgerBounds(later);

        Claim claim = claimed(late, inTime);

        assertThat(claim.claimed()).containsExactly(inTime);
        assertThat(claim.isLate(late)).isTrue();
        assertThat(claim.isLate(inTime)).isFalse();
    }

    @Test
    void keyFromTheFutureIsToldAndNotClaimed() {
        MessageKey future = keyOf(message(Ids.timeOrdered(fixture.beyondTheLedger())));
        MessageKey present = key(0);

        Claim claim = claimed(present, future);

        assertThat(claim.claimed()).containsExactly(present);
        assertThat(claim.isFromTheFuture(future)).isTrue();
        assertThat(claim.isFromTheFuture(present)).isFalse();
    }

    @Test
    void digestKeysAreNeverLateOrFromTheFuture() {
        MessageKey digest = keyOf(message(Ids.opaque()));
        fixture.ledgerBounds(Ids.now().plus(Duration.ofHours(1)));

        Claim claim = claimed(digest);

        assertThat(claim.claimed()).containsExactly(digest);
        assertThat(claim.isLate(digest)).isFalse();
        assertThat(claim.isFromTheFuture(digest)).isFalse();
        assertThat(claimed(digest).claimed()).isEmpty();
    }

    @Test
    void idsOfBothSidesOfMidnightAreClaimedOnce() {
        Instant midnight = Ids.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.DAYS);
        MessageKey before = keyOf(message(Ids.timeOrdered(midnight.minusMillis(1))));
        MessageKey after = keyOf(message(Ids.timeOrdered(midnight)));

        assertThat(claimed(before, after).claimed()).containsExactlyInAnyOrder(before, after);
        assertThat(claimed(before, after).claimed()).isEmpty();
    }
}
