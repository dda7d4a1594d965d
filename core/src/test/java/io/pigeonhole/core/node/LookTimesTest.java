package io.pigeonhole.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LookTimesTest {
    private static final long NEAR = LookTimes.NEAR_NANOS;

    private final LookTimes times = new LookTimes();

    @Test
    void looksThatAreWantedAreKeptInTheirOrderWhateverWasWantedFirst() {
        times.add(30 * NEAR);
        times.add(10 * NEAR);
        times.add(20 * NEAR);

        assertThat(times.firstAfter(0)).isEqualTo(10 * NEAR);
        assertThat(times.firstAfter(10 * NEAR)).isEqualTo(20 * NEAR);
        assertThat(times.firstAfter(25 * NEAR)).isEqualTo(30 * NEAR);
        assertThat(times.firstAfter(30 * NEAR)).isNull();
    }

    @Test
    void lookShortlyBehindServesToo() {
        times.add(10 * NEAR);
        times.add(10 * NEAR - 1);

        assertThat(times.firstAfter(0)).isEqualTo(10 * NEAR);
    }

    /** It would find nothing yet. */
    @Test
    void lookShortlyBeforeDoesNotServe() {
        times.add(10 * NEAR);
        times.add(10 * NEAR + 1);

        assertThat(times.firstAfter(10 * NEAR)).isEqualTo(10 * NEAR + 1);
    }

    @Test
    void ofManyTheFarthestAreForgotten() {
        LongStream.rangeClosed(1, LookTimes.MOST + 1L).forEach(i -> times.add(i * 2 * NEAR));

        assertThat(times.firstAfter(LookTimes.MOST * 2 * NEAR - 1)).isEqualTo(LookTimes.MOST * 2 * NEAR);
        assertThat(times.firstAfter(LookTimes.MOST * 2 * NEAR)).isNull();
    }

    @Test
    void clockMayOverflow() {
        long now = Long.MAX_VALUE - NEAR;
        times.add(now + 3 * NEAR);
        times.add(now + NEAR / 2);

        assertThat(times.firstAfter(now)).isEqualTo(now + NEAR / 2);
        assertThat(times.firstAfter(now + NEAR)).isEqualTo(now + 3 * NEAR);
    }
}
