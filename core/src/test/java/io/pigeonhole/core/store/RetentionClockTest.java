package io.pigeonhole.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionClockTest {
    private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration WEEK = Duration.ofDays(7);

    private final RetentionClock clock = RetentionClock.confirmed(NOW);

    @Test
    void clockFollowsTheStoresWhileSomebodyLooks() {
        RetentionClock current = clock;
        for (int hour = 1; hour <= 48; hour++) {
            current = current.after(NOW.plus(HOUR.multipliedBy(hour)), HOUR, HOUR);
        }
        assertThat(current.behind(NOW.plus(HOUR.multipliedBy(48)))).isZero();
    }

    @Test
    void programThatRunsOnceADayKeepsUpAtTheStandardWindow() {
        RetentionClock current = clock;
        for (int day = 1; day <= 10; day++) {
            current = current.after(NOW.plus(Duration.ofDays(day)), Duration.ZERO, WEEK);
        }
        assertThat(current.trusted()).isEqualTo(NOW.plus(Duration.ofDays(10)));
    }

    @Test
    @Tag("F39")
    void outageMovesTheClockByAQuarterOfTheWindowAndItCatchesUpAtTwiceTheSpeed() {
        Instant back = NOW.plus(Duration.ofDays(30));

        RetentionClock started = clock.after(back, Duration.ZERO, Duration.ofHours(4));
        assertThat(started.trusted()).isEqualTo(NOW.plus(HOUR));

        RetentionClock later = started.after(back.plus(HOUR), HOUR, Duration.ofHours(4));
        assertThat(later.trusted()).isEqualTo(NOW.plus(HOUR.multipliedBy(3)));
        assertThat(later.behind(back.plus(HOUR))).isEqualTo(Duration.ofDays(30).minus(HOUR.multipliedBy(2)));
    }

    @Test
    @Tag("F39")
    void twoLooksFarApartMoveItByADayAtMostThoughTheProgramSaysThatItRan() {
        Duration fortnight = Duration.ofDays(14);
        Instant back = NOW.plus(fortnight);

        assertThat(clock.after(back, fortnight, WEEK).trusted()).isEqualTo(NOW.plus(Duration.ofDays(1)));
        assertThat(clock.after(back, fortnight, HOUR).trusted()).isEqualTo(NOW.plus(HOUR.multipliedBy(4)));
    }

    @Test
    @Tag("F39")
    void looksThatAreHalfADayApartCatchUpAtTwiceTheSpeed() {
        Instant back = NOW.plus(Duration.ofDays(30));
        Duration half = Duration.ofHours(12);

        RetentionClock later = clock.after(back, Duration.ZERO, WEEK).after(back.plus(half), half, WEEK);

        assertThat(later.trusted()).isEqualTo(NOW.plus(Duration.ofDays(2)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 12, 24, 48, 168, 1_000})
    void looksThatAreAsFarApartAsTheyMayBeCatchUpAtTwiceTheSpeed(int windowInHours) {
        Duration window = HOUR.multipliedBy(windowInHours);
        Duration interval = RetentionClock.longestInterval(window);
        Instant back = NOW.plus(Duration.ofDays(30));
        RetentionClock started = clock.after(back, Duration.ZERO, window);

        RetentionClock later = started.after(back.plus(interval), interval, window);

        assertThat(later.behind(back.plus(interval)))
                .isEqualTo(started.behind(back).minus(interval));
        assertThat(interval).isBetween(Duration.ofHours(2), Duration.ofHours(12));
    }

    @Test
    @Tag("F39")
    void programThatStartsAgainAndAgainGainsNoTime() {
        Instant back = NOW.plus(Duration.ofDays(30));
        RetentionClock current = clock.after(back, Duration.ZERO, WEEK);
        for (int minute = 1; minute <= 60; minute++) {
            current = current.after(back.plus(Duration.ofMinutes(minute)), Duration.ZERO, WEEK);
        }
        assertThat(current.trusted()).isEqualTo(NOW.plus(Duration.ofDays(1)).plus(HOUR));
    }

    @Test
    @Tag("C7")
    @Tag("D3")
    void jumpOfTheStoresClockMovesItByADayAtMostAndIsTakenBackWithTheJump() {
        Instant wrong = NOW.plus(Duration.ofDays(35));

        RetentionClock jumped = clock.after(wrong, HOUR, Duration.ofDays(365));
        assertThat(jumped.trusted()).isEqualTo(NOW.plus(Duration.ofDays(1)));

        RetentionClock right = jumped.after(NOW.plus(HOUR), HOUR, WEEK);
        assertThat(right.behind(NOW.plus(HOUR))).isZero();
        assertThat(right.after(NOW.plus(Duration.ofDays(2)), HOUR, WEEK).trusted())
                .isEqualTo(NOW.plus(Duration.ofDays(2)));
    }

    @Test
    @Tag("C7")
    void clockThatGoesBackForgetsNothingAndLosesNoTime() {
        RetentionClock wrong = clock.after(NOW.minus(WEEK), HOUR, WEEK);
        assertThat(wrong.behind(NOW.minus(WEEK))).isZero();

        assertThat(wrong.after(NOW.plus(HOUR), HOUR, WEEK)).isEqualTo(RetentionClock.confirmed(NOW.plus(HOUR)));
    }

    @Test
    @Tag("D3")
    void storesClockIsDoubtfulMoreThanADayAheadOfTheMachines() {
        assertThat(RetentionClock.isDoubtful(NOW.plus(Duration.ofHours(23)), NOW))
                .isFalse();
        assertThat(RetentionClock.isDoubtful(NOW.minus(WEEK), NOW)).isFalse();
        assertThat(RetentionClock.isDoubtful(NOW.plus(Duration.ofHours(25)), NOW))
                .isTrue();
    }
}
