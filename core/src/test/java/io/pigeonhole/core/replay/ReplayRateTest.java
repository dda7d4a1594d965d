package io.pigeonhole.core.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReplayRateTest {
    private final ReplayRate rate = new ReplayRate(1);

    @Test
    void batchesOfRunsBesideEachOtherAreSpentOnceEach() {
        rate.begin();
        rate.spend(10);
        long free = rate.free();
        rate.begin();
        rate.spend(0);
        assertThat(rate.free()).isEqualTo(free);
        rate.spend(5);
        assertThat(rate.free()).isEqualTo(free + TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void runThatBeginsWaitsForWhatAnEarlierOneWasAhead() {
        rate.begin();
        rate.spend(10);
        long free = rate.free();
        rate.begin();
        assertThat(rate.free()).isEqualTo(free);
    }
}
