package io.pigeonhole.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("E1")
class HoldTest {
    private final Hold hold = new Hold();
    private long now = Duration.ofHours(-1).toNanos();
    private long delivered;
    private long settled;

    private boolean isHeld() {
        return hold.isHeld(delivered, settled, now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    /** Returns for how long it held. */
    private Duration holdInVain() {
        long begun = now;
        assertThat(isHeld()).isTrue();
        do {
            pass(Duration.ofMillis(50));
        } while (isHeld());
        assertThat(hold.hasFailed()).isTrue();
        return Duration.ofNanos(now - begun);
    }

    /** Returns how many deliveries there were until it was held again. */
    private long deliveriesUntilHeld() {
        long before = delivered;
        while (!isHeld()) {
            delivered++;
        }
        hold.end();
        return delivered - before;
    }

    @Test
    void whereNothingIsDeliveredAndNothingSettlesItEndsAtOnce() {
        assertThat(holdInVain()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void whereSomethingMovesItEndsAfterFiveSeconds() {
        assertThat(isHeld()).isTrue();
        for (int i = 0; i < 12; i++) {
            pass(Duration.ofMillis(400));
            settled++;
            assertThat(isHeld()).isTrue();
        }
        pass(Duration.ofMillis(200));
        settled++;
        assertThat(isHeld()).isFalse();
        assertThat(hold.hasFailed()).isTrue();
    }

    @Test
    void eachThatFailsDoublesTheDeliveriesBeforeTheNext() {
        holdInVain();
        assertThat(deliveriesUntilHeld()).isEqualTo(16);
        holdInVain();
        assertThat(deliveriesUntilHeld()).isEqualTo(32);
        holdInVain();
        assertThat(deliveriesUntilHeld()).isEqualTo(64);
        hold.succeeded();
        holdInVain();
        assertThat(deliveriesUntilHeld()).isEqualTo(16);
    }

    @Test
    void howeverManyFailTheNextWaitsForDeliveries() {
        for (int i = 0; i < 100; i++) {
            pass(Duration.ofSeconds(61));
            holdInVain();
            assertThat(isHeld()).as("after %d that failed", i + 1).isFalse();
        }
        assertThat(deliveriesUntilHeld()).isEqualTo(1 << 20);
    }

    @Test
    void afterAMinuteTheNextWaitsForNoDeliveries() {
        holdInVain();
        pass(Duration.ofSeconds(59));
        assertThat(isHeld()).isFalse();
        assertThat(hold.hasFailed()).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(isHeld()).isTrue();
    }

    @Test
    void oneThatIsBegunOnPurposeDoesNotWaitForItsTurn() {
        holdInVain();
        hold.begin(now);
        assertThat(hold.isHolding()).isTrue();
        assertThat(isHeld()).isTrue();
    }
}
