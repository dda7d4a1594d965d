package io.pigeonhole.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LimitedWarningsTest {
    private final AtomicLong clock = new AtomicLong(-5);
    private final LimitedWarnings warnings = new LimitedWarnings(clock::get);

    private long[] next(String reason, int count) {
        return LongStream.range(0, count).map(i -> warnings.pass(reason)).toArray();
    }

    @Test
    void tenOfAReasonPassInAMinuteAndTheNextMinuteSaysHowManyDidNot() {
        assertThat(next("parked", 10)).containsOnly(0);
        assertThat(next("parked", 7)).containsOnly(-1);

        clock.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(next("parked", 1)).containsExactly(-1);
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(next("parked", 2)).containsExactly(8, 0);
    }

    @Test
    void warningsOfSeveralAreSummedUp() {
        LimitedWarnings one = new LimitedWarnings(clock::get, 1);

        assertThat(one.pass("suspects", 500)).isZero();
        assertThat(one.pass("suspects", 20)).isEqualTo(-1);
        assertThat(one.pass("suspects", 3)).isEqualTo(-1);
        clock.addAndGet(Duration.ofMinutes(1).toNanos());
        assertThat(one.pass("suspects", 7)).isEqualTo(23);
    }

    @Test
    void eachReasonIsCountedByItself() {
        assertThat(next("parked", 12)).endsWith(-1, -1);
        assertThat(next("LATE", 1)).containsExactly(0);
    }
}
