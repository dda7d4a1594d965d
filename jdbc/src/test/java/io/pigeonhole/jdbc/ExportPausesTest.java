package io.pigeonhole.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pigeonhole.jdbc.retention.ExportPauses;
import java.time.Duration;
import java.time.LocalDate;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("D5")
@Tag("E8")
class ExportPausesTest {
    private static final LocalDate DAY = LocalDate.of(2026, 11, 21);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final ExportPauses pauses = new ExportPauses(nanos::get);

    private void fail(LocalDate day, Duration took) {
        nanos.addAndGet(took.toNanos());
        pauses.begin(day, took.toNanos());
    }

    private void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void exportThatFailedAtOnceIsTriedAgainAfterHalfAnHour() {
        fail(DAY, Duration.ofMillis(1));

        assertThat(pauses.rests(DAY)).isTrue();
        assertThat(pauses.rests(DAY.plusDays(1))).as("another day").isFalse();

        advance(Duration.ofMinutes(30));
        assertThat(pauses.rests(DAY)).isFalse();
    }

    @Test
    void exportThatTookLongAndFailedIsTriedAgainAfterTenTimesAsLong() {
        fail(DAY, Duration.ofMinutes(10));

        assertThat(pauses.rests(DAY.plusDays(1))).as("another day").isFalse();
        advance(Duration.ofMinutes(99));
        assertThat(pauses.rests(DAY)).isTrue();
        advance(Duration.ofMinutes(1));
        assertThat(pauses.rests(DAY)).isFalse();
    }

    @Test
    void archiveThatFailsForOneDayAfterAnotherIsAskedForNone() {
        fail(DAY, Duration.ofSeconds(60));
        fail(DAY.plusDays(1), Duration.ofSeconds(60));
        fail(DAY.plusDays(2), Duration.ofSeconds(60));

        assertThat(pauses.rests(DAY.plusDays(3))).isTrue();
        advance(Duration.ofMinutes(30));
        assertThat(pauses.rests(DAY.plusDays(3))).isFalse();

        fail(DAY.plusDays(3), Duration.ofSeconds(60));
        assertThat(pauses.rests(DAY.plusDays(4))).as("after one more").isTrue();
        advance(Duration.ofMinutes(10));
        assertThat(pauses.rests(DAY.plusDays(4))).isFalse();

        pauses.end(DAY.plusDays(4));
        fail(DAY.plusDays(5), Duration.ofSeconds(60));
        assertThat(pauses.rests(DAY.plusDays(6))).as("after one that went well").isFalse();
    }

    @Test
    void oneDayThatFailsSlowlyAgainAndAgainHoldsBackNoOther() {
        for (int i = 0; i < 10; i++) {
            fail(DAY, Duration.ofMinutes(10));
            assertThat(pauses.rests(DAY.plusDays(1))).as("failure %s", i).isFalse();
            advance(Duration.ofMinutes(100));
            assertThat(pauses.rests(DAY)).isFalse();
        }
    }

    @Test
    void daysThatHaveNotFailedComeFirstWhenAnArchiveWasAway() {
        for (int i = 0; i < 3; i++) {
            fail(DAY.plusDays(i), Duration.ofMinutes(10));
        }

        advance(Duration.ofHours(5));
        for (int i = 0; i < 3; i++) {
            assertThat(pauses.rests(DAY.plusDays(i))).isTrue();
        }
        assertThat(pauses.rests(DAY.plusDays(3))).isFalse();

        advance(Duration.ofMinutes(30));
        assertThat(pauses.rests(DAY)).isFalse();
    }

    @Test
    void manyDaysThatAreRefusedAtOnceHoldBackNoOther() {
        for (int i = 0; i < 30; i++) {
            fail(DAY.plusDays(i), Duration.ofMillis(10));
        }

        assertThat(pauses.rests(DAY.plusDays(30))).isFalse();
        assertThat(pauses.rests(DAY)).isTrue();
    }

    @Test
    void dayThatTheArchiveHasRestsNoLonger() {
        fail(DAY, Duration.ofMillis(1));

        pauses.end(DAY);

        assertThat(pauses.rests(DAY)).isFalse();
    }
}
