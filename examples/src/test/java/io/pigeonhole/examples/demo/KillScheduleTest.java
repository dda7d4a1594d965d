package io.pigeonhole.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KillScheduleTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, -4})
    void killsFallIntoTheMiddleOfTheRunOneAfterTheOther(long seed) {
        KillSchedule kills = new KillSchedule(5, 1_000, seed);

        int dead = 0;
        for (int committed = 0; committed < 950; committed++) {
            if (kills.isDue(committed)) {
                kills.killed();
                dead++;
                assertThat(committed).isGreaterThan(50);
                assertThat(kills.isDue(committed)).isFalse();
            }
        }
        assertThat(dead).isEqualTo(5);
        assertThat(kills.isOver()).isTrue();
    }

    @Test
    void momentsDependOnTheSeed() {
        assertThat(new KillSchedule(5, 1_000, 1)).hasToString(new KillSchedule(5, 1_000, 1).toString());
        assertThat(new KillSchedule(5, 1_000, 2).toString()).isNotEqualTo(new KillSchedule(5, 1_000, 1).toString());
    }

    @Test
    void noKillsAreOverAtOnce() {
        assertThat(new KillSchedule(0, 1_000, 1).isOver()).isTrue();
    }
}
