package io.pigeonhole.core.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReplayRateTest {
    private final ReplayRate rate = new ReplayRate(1);

    @Test
    void runsBesideEachOtherSpendEachMessageOnce() {
        rate.begin(0);
        rate.spendUpTo(10);
        long free = rate.free();
        rate.begin(10);
        rate.spendUpTo(10);
        assertThat(rate.free()).isEqualTo(free);
        rate.spendUpTo(15);
        assertThat(rate.free()).isEqualTo(free + TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void replayThatBeginsAnewSpendsFromItsFirstMessageOn() {
        rate.begin(0);
        rate.spendUpTo(10);
        long free = rate.free();
        rate.begin(0);
        rate.spendUpTo(10);
        assertThat(rate.free()).isEqualTo(free + TimeUnit.SECONDS.toNanos(10));
    }
}
